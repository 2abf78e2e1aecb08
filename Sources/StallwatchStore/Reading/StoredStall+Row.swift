import StallwatchCore

extension StoredStall {
  /// The columns that ``init(_:endings:json:)`` reads, for a store of `version`. The outer joins keep a stall
  /// whose loop or mode is missing, so that it is an error and not left out.
  static func selection(version: Int) -> String {
    """
    SELECT stalls.id, stalls.session, stalls.number, stalls.loop, loops.number AS loop_number, modes.name AS mode,
      modes.number AS mode_number, kind, state, phase, depth, stalls.started_ns, detected_ns, duration_ns, reason,
      annotations, \(version < 8 ? "NULL AS waiter" : "waiter"), \(StallCause.columns(version: version))
    FROM stalls LEFT JOIN modes ON modes.id = stalls.mode LEFT JOIN loops ON loops.id = stalls.loop

    """
  }

  /// Reads the columns of ``selection(version:)``. Its session's end decides the state of an open stall.
  init(_ columns: Row, endings: [Int64: SessionEnding], json: JSONReading) throws(SQLiteFailure) {
    var row = columns
    let id = try row.rowNumber()
    let session = try row.rowNumber()
    let number: UInt64 = try row.number()
    let loop = try row.rowNumber()
    let loopNumber: UInt32 = try row.number()
    let mode = try row.text()
    let modeNumber = Int(try row.number(UInt32.self))
    let kind: StallKind = try row.word()
    let stored: StallState = try row.word()
    let phase = try row.word { Phase(name: $0) }
    let depth = Int(try row.number(UInt32.self))
    let startedNs: Nanoseconds = try row.number()
    let detectedNs: Nanoseconds = try row.number()
    let duration: Nanoseconds? = try row.numberIfAny()
    let reason = try row.textIfAny()
    let annotations = try row.textIfAny()
    let waiter = try row.integerIfAny().map { UInt64(bitPattern: $0) }
    let cause = try StallCause(&row)
    guard let ending = endings[session] else { throw .badContents("stall \(id) belongs to no session") }

    let began = StallBegan(
      id: StallID(rawValue: number), loop: LoopID(rawValue: loopNumber), mode: modeNumber, phase: phase, depth: depth,
      kind: kind, startedNs: startedNs, detectedNs: detectedNs,
      annotations: try annotations.map { text throws(SQLiteFailure) in try json.members(ofObject: text) } ?? [:],
      waiter: waiter)
    let ended = ending.state(of: stored)
    self.init(
      id: id, session: session, loop: loop, mode: mode, began: began, state: ended.state,
      duration: ending.duration(duration, of: stored, from: startedNs), reason: ended.reason ?? reason, cause: cause)
  }
}
