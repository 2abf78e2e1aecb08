import StallwatchCore

/// The rows of one session, whole, whatever a filter lets through, for what reads several kinds of them side by side.
extension StoreReader {
  /// The windows of time of a session that end after `moment`, without their cells where `withCells` says so, in order of
  /// their start. Those of the live region are not among them: ``liveWindows(session:)``.
  package func windows(
    session: Int64, endingAfter moment: Nanoseconds, withCells: Bool = true
  ) throws -> StoreCursor<StoredWindow> {
    let statement = try access.read { [access] connection throws(SQLiteFailure) in
      let sql = Self.windows(
        withCells: withCells, version: access.version, condition: "AND time_windows.started_ns + length_ns > ?2")
      return try connection.prepare(sql)
    }
    statement.bind(session, at: 1)
    statement.bind(Int64(clamping: moment), at: 2)
    return StoreCursor(statement, access) { statement throws(SQLiteFailure) in
      var row = statement.row
      return try StoredWindow(&row)
    }
  }

  /// The windows of these metrics of a session that end after `moment`, in the same way.
  package func metricWindows(
    session: Int64, of metrics: [Metric], endingAfter moment: Nanoseconds
  ) throws -> StoreCursor<StoredMetricWindow> {
    let statement = try access.read { [access] connection throws(SQLiteFailure) in
      let source =
        access.version < 5 ? "(\(OlderWindows.metricWindows(ofSession: "?1"))) AS metric_windows" : "metric_windows"
      let names = metrics.map { "'\($0.name)'" }.joined(separator: ", ")
      return try connection.prepare(
        """
        SELECT modes.loop, mode, metric, metric_windows.started_ns, length_ns, count, total_ns, max_ns, histogram
        FROM \(source) JOIN modes ON modes.id = mode
        WHERE metric_windows.session = ?1 AND metric IN (\(names)) AND metric_windows.started_ns + length_ns > ?2
        ORDER BY metric_windows.started_ns
        """)
    }
    statement.bind(session, at: 1)
    statement.bind(Int64(clamping: moment), at: 2)
    return StoreCursor(statement, access) { statement throws(SQLiteFailure) in
      var row = statement.row
      var window = StoredMetricWindow(
        loop: try row.rowNumber(), mode: try row.rowNumber(),
        metric: try row.word { name in Metric.allCases.first { $0.name == name } }, startedNs: try row.number(),
        length: try row.number(), samples: .empty)
      try window.samples.add(&row)
      return window
    }
  }

  /// The windows of a session that are in its live region alone, in no order.
  package func liveWindows(session: Int64) -> (time: [StoredWindow], metrics: [StoredMetricWindow]) {
    let modes = live[session]?.modes ?? []
    let time = modes.flatMap { mode in
      mode.windows.map { StoredWindow($0, loop: mode.loop, mode: mode.row) }
    }
    let metrics = modes.flatMap { mode in
      mode.metrics.flatMap { window in
        Metric.allCases.compactMap { metric -> StoredMetricWindow? in
          guard let found = window.metrics[Int(metric.rawValue)] else { return nil }
          var samples = StoredMetric.empty
          samples.add(found)
          return StoredMetricWindow(
            loop: mode.loop, mode: mode.row, metric: metric, startedNs: window.startedNs, length: window.length,
            samples: samples)
        }
      }
    }
    return (time, metrics)
  }

  /// The stalls of a session that began at `moment` or later, each with the looks at it, in order of their start.
  package func stalls(
    session: Int64, from moment: Nanoseconds
  ) throws -> StoreCursor<(stall: StoredStall, samples: [BriefSample])> {
    let queries = StallQueries(version: access.version)
    let (statement, samples) = try access.read { [access] connection throws(SQLiteFailure) in
      (
        try connection.prepare(queries.ofSessionFrom),
        access.version < 2 ? nil : try connection.prepare(StallQueries.looks)
      )
    }
    statement.bind(session, at: 1)
    statement.bind(Int64(clamping: moment), at: 2)
    return StoreCursor(statement, access) { [endings, access] statement throws(SQLiteFailure) in
      let stall = try StoredStall(statement.row, endings: endings, json: access.json)
      return (stall, try samples.map { statement throws(SQLiteFailure) in try Self.looks(stall.id, statement) } ?? [])
    }
  }

  private static func looks(_ stall: Int64, _ statement: Statement) throws(SQLiteFailure) -> [BriefSample] {
    statement.bind(stall, at: 1)
    defer { statement.reset() }
    var samples: [BriefSample] = []
    while try statement.step() {
      guard samples.count < SampleLimits.mostSamples else { throw .badContents("stall \(stall) has too many samples") }
      var row = statement.row
      samples.append(try BriefSample(&row))
    }
    return samples
  }

  /// The row of the stall with this number in a session; nil when there is none.
  package func row(ofStall number: UInt64, session: Int64) throws -> Int64? {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare("SELECT id FROM stalls WHERE session = ?1 AND number = ?2")
      statement.bind(session, at: 1)
      statement.bind(number, at: 2)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try row.rowNumber()
    }
  }

  /// When the first stall of a session began whose number is above `number`; nil without one.
  package func firstStall(session: Int64, after number: UInt64) throws -> Nanoseconds? {
    try access.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(
        "SELECT min(started_ns) FROM stalls WHERE session = ?1 AND stalls.number > ?2")
      statement.bind(session, at: 1)
      statement.bind(Int64(clamping: number), at: 2)
      guard try statement.step() else { return nil }
      var row = statement.row
      return try row.numberIfAny()
    }
  }
}
