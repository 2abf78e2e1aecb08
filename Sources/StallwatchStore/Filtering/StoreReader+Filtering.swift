import StallwatchCore

extension StoreReader {
  /// A reader of the same store that lets through only what `filter` does. Figures of loops and modes are cut by time
  /// where windows tell them; a filter that chooses stalls leaves them whole. Throws ``StoreError``.
  package func filtered(by filter: StoreFilter) throws -> StoreReader {
    var reader = self
    reader.filter = filter
    reader.knownModes = KnownModes()
    guard let chosen = filter.causes?.stalls else { return reader }
    try access.read { connection throws(SQLiteFailure) in
      try connection.run("DROP TABLE IF EXISTS \(StoreFilter.chosenStalls)")
      try connection.run(
        "CREATE TEMP TABLE \(StoreFilter.chosenStalls.dropFirst("temp.".count)) (id INTEGER PRIMARY KEY)")
      let insert = try connection.prepare("INSERT INTO \(StoreFilter.chosenStalls) VALUES (?1)")
      for row in chosen.sorted() {
        insert.bind(row, at: 1)
        _ = try insert.step()
        insert.reset()
      }
    }
    return reader
  }

  /// Whether it knows what was when: stores of a version below 5 do not.
  package var hasWindows: Bool { access.version >= 5 }
  /// Whether it knows what held loops: stores of version 1 do not.
  package var hasCauses: Bool { access.version >= 2 }

  /// Whether a stall that SQL let through passes what SQL does not know of a stall that is not over.
  func admits(_ stall: StoredStall) -> Bool {
    admits(stall.state, from: stall.began.startedNs, lasting: stall.duration, session: stall.session)
  }

  /// The same for a stall of which only so much is known.
  func admits(_ state: StallState, from startedNs: Nanoseconds, lasting duration: Nanoseconds, session: Int64) -> Bool {
    filter.isEmpty || state == .ended
      || filter.admits(duration, from: startedNs, in: known.first { $0.id == session })
  }

  /// The range of time of a session that is let through, on its monotonic clock; nil for all of it.
  func range(of session: Int64) -> Range<Nanoseconds>? {
    guard filter.isCutByTime else { return nil }
    guard let session = known.first(where: { $0.id == session }) else { return 0..<0 }
    return filter.part(of: session) ?? 0..<0
  }

  /// The rows of a session's loops that are let through; nil for all.
  func admittedLoops(session: Int64) throws -> Set<Int64>? {
    filter.loops.isEmpty ? nil : Set(try loops(session: session).map(\.id))
  }

  /// The rows of a session's modes that are let through; nil for all.
  func admittedModes(session: Int64) throws -> Set<Int64>? {
    guard !filter.loops.isEmpty || !filter.modes.isEmpty else { return nil }
    return Set(try loops(session: session).flatMap { try modeNames(loop: $0.id).map(\.0) })
  }
}

extension SummedWindow {
  /// Whether a part of it lies in `range`.
  func touches(_ range: Range<Nanoseconds>) -> Bool {
    startedNs < range.upperBound && startedNs.saturatingAdd(length) > range.lowerBound
  }
}

extension MetricSeries.Window {
  /// Whether a part of it lies in `range`.
  func touches(_ range: Range<Nanoseconds>) -> Bool { startedNs < range.upperBound && endNs > range.lowerBound }
}

extension IntervalRecord {
  /// The part in `range`; nil where none lies there.
  func part(in range: Range<Nanoseconds>) -> IntervalRecord? {
    let (from, to) = (max(startedNs, range.lowerBound), min(endedNs, range.upperBound))
    guard from <= to, from < range.upperBound, to >= range.lowerBound else { return nil }
    // A sleep of the machine takes no time of this clock.
    guard from > startedNs || to < endedNs else { return self }
    var part = self
    (part.startedNs, part.endedNs, part.duration) = (from, to, min(duration, to - from))
    return part
  }
}

extension StoredWindow {
  /// What of the window lies in `range`, as pieces without cells: those at the ends by their share of the time.
  func parts(in range: Range<Nanoseconds>) -> [StoredWindow] {
    pieces.compactMap { piece in
      let end = piece.startedNs.saturatingAdd(piece.length)
      let (from, to) = (max(piece.startedNs, range.lowerBound), min(end, range.upperBound))
      guard from < to else { return nil }
      guard to - from < piece.length else { return piece }
      let share = Double(to - from) / Double(piece.length)
      var part = piece
      (part.startedNs, part.length) = (from, to - from)
      part.busy = Nanoseconds(share * Double(piece.busy))
      part.waiting = Nanoseconds(share * Double(piece.waiting))
      part.outside = Nanoseconds(share * Double(piece.outside))
      part.iterations = UInt64((share * Double(piece.iterations)).rounded())
      return part
    }
  }
}
