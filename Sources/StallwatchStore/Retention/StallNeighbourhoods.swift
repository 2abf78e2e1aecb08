import StallwatchCore

/// The stretches of time around stalls, whose cells keep their grain.
struct StallNeighbourhoods {
  private let findNear: Statement
  private let findLong: Statement
  private let findOpen: Statement
  private let reach: Nanoseconds
  /// Stalls of this length or more are found by their length: a search by their start would have to go far back.
  private static let longStall = 60 * Nanoseconds.second

  init(_ connection: Connection, reach: Nanoseconds) throws(SQLiteFailure) {
    self.reach = reach
    findNear = try connection.prepare(
      """
      SELECT started_ns, duration_ns FROM stalls
      WHERE session = ?1 AND started_ns BETWEEN ?2 AND ?3 AND state IN ('ended', 'fatal')
      """)
    findLong = try connection.prepare(
      """
      SELECT started_ns, duration_ns FROM stalls INDEXED BY stalls_by_duration
      WHERE duration_ns >= \(Self.longStall) AND state IN ('ended', 'fatal') AND session = ?1
      """)
    findOpen = try connection.prepare(
      "SELECT started_ns, NULL FROM stalls INDEXED BY stalls_open WHERE session = ?1 AND state = 'began'")
  }

  /// The stretches of a session that touch a time.
  func stretches(
    session: Int64, in time: Range<Nanoseconds>
  ) throws(SQLiteFailure) -> [ClosedRange<Nanoseconds>] {
    findNear.bind(session, at: 1)
    findNear.bind(time.lowerBound.since(reach.saturatingAdd(Self.longStall)), at: 2)
    findNear.bind(time.upperBound.saturatingAdd(reach), at: 3)
    findLong.bind(session, at: 1)
    findOpen.bind(session, at: 1)
    var stretches: [ClosedRange<Nanoseconds>] = []
    for find in [findNear, findLong, findOpen] {
      defer { find.reset() }
      while try find.step() {
        var row = find.row
        let began: Nanoseconds = try row.number()
        // The end of a stall that goes on is not known.
        let over = try row.numberIfAny(Nanoseconds.self).map { began.saturatingAdd($0) } ?? .max
        stretches.append(began.since(reach)...over.saturatingAdd(reach))
      }
    }
    return stretches
  }
}
