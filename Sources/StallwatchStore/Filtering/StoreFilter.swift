import StallwatchCore

/// What a reader lets through of a store. Empty lists, and nil, let everything through.
package struct StoreFilter: Sendable, Equatable {
  /// A fact that the program reported about itself, such as `screen` = `Settings`.
  package struct Annotation: Sendable, Hashable {
    package var key: String
    package var value: String

    package init(key: String, value: String) { (self.key, self.value) = (key, value) }
  }

  /// Causes as they are asked for, and the rows of their stalls.
  package struct Causes: Sendable, Equatable {
    package var names: [String]
    package var stalls: Set<Int64>

    package init(names: [String], stalls: Set<Int64>) { (self.names, self.stalls) = (names, stalls) }
  }

  /// What sessions are of, as it is asked for, and the rows of such sessions.
  package struct Labels: Sendable, Equatable {
    package var names: [SessionLabels.Name: [String]]
    package var tags: [SessionLabels.Tag]
    package var sessions: Set<Int64>

    package init(names: [SessionLabels.Name: [String]], tags: [SessionLabels.Tag], sessions: Set<Int64>) {
      (self.names, self.tags, self.sessions) = (names, tags, sessions)
    }
  }

  /// The range of time, in nanoseconds since 1970-01-01 UTC: `since` is in it, `until` is not.
  package var since: UInt64?
  package var until: UInt64?
  /// Rows of sessions.
  package var sessions: [Int64] = []
  /// Labels of sessions; nil for any.
  package var labels: Labels?
  /// Names of loops.
  package var loops: [String] = []
  /// Names of modes.
  package var modes: [String] = []
  /// What held the loop for most of the watched time.
  package var activities: [ThreadActivity] = []
  /// The causes, by their names in a report; nil for all.
  package var causes: Causes?
  /// Annotations, each of which a stall must have.
  package var annotations: [Annotation] = []
  /// The shortest stall, in nanoseconds.
  package var leastDuration: Nanoseconds = 0

  /// Lets everything through.
  package init() {}

  /// Whether it is cut by time.
  package var isCutByTime: Bool { since != nil || until != nil }
  /// Whether it chooses stalls by what only stalls have.
  package var choosesStalls: Bool {
    !activities.isEmpty || causes != nil || !annotations.isEmpty || leastDuration > 0
  }
  /// Whether it lets everything through.
  package var isEmpty: Bool {
    !isCutByTime && !choosesStalls && sessions.isEmpty && labels == nil && loops.isEmpty && modes.isEmpty
  }
}

extension StoreFilter {
  /// The table in which the connection keeps the rows of the stalls of the causes that are asked for.
  static let chosenStalls = "temp.chosen_stalls"

  /// The condition on a row of `stalls`, in SQL, in parentheses. A stall that is not over passes the tests of its end:
  /// only its session tells that.
  var stallCondition: String {
    var tests: [String] = []
    // The wall clock of a moment is as long after its session's start as the monotonic clock says.
    let start =
      "(SELECT started_at FROM sessions WHERE sessions.id = stalls.session) + stalls.started_ns"
      + " - (SELECT started_ns FROM sessions WHERE sessions.id = stalls.session)"
    if let since {
      tests.append("(stalls.state = 'began' OR \(start) + stalls.duration_ns > \(Int64(clamping: since)))")
    }
    if let until { tests.append("\(start) < \(Int64(clamping: until))") }
    if !sessions.isEmpty { tests.append("stalls.session IN (\(Self.list(sessions.map(String.init))))") }
    if let labels { tests.append("stalls.session IN (\(Self.list(labels.sessions.sorted().map(String.init))))") }
    if !loops.isEmpty {
      tests.append("stalls.loop IN (SELECT id FROM loops WHERE name IN (\(Self.list(loops.map(Self.quoted)))))")
    }
    if !modes.isEmpty {
      tests.append("stalls.mode IN (SELECT id FROM modes WHERE name IN (\(Self.list(modes.map(Self.quoted)))))")
    }
    // A stall that mostly did one of these, or is of one of those causes.
    let most = "max(\(Self.list(ThreadActivity.allCases.map { "stalls.\($0.rawValue)_ns" })))"
    var held = activities.map { "stalls.\($0.rawValue)_ns = \(most)" }
    if causes != nil { held.append("stalls.id IN (SELECT id FROM \(Self.chosenStalls))") }
    if !held.isEmpty { tests.append("(\(held.joined(separator: " OR ")))") }
    for annotation in annotations {
      tests.append(
        "EXISTS (SELECT 1 FROM json_each(stalls.annotations) WHERE key = \(Self.quoted(annotation.key)) "
          + "AND value = \(Self.quoted(annotation.value)))")
    }
    if leastDuration > 0 {
      tests.append("(stalls.state = 'began' OR stalls.duration_ns >= \(Int64(clamping: leastDuration)))")
    }
    return tests.isEmpty ? "(1)" : "(\(tests.joined(separator: " AND ")))"
  }

  private static func list(_ values: [String]) -> String { values.joined(separator: ", ") }

  /// A text as a literal of SQL. By scalars: a quote and a mark behind it are one character.
  private static func quoted(_ text: String) -> String {
    var literal = "'"
    for scalar in text.unicodeScalars { literal += scalar == "'" ? "''" : String(scalar) }
    return literal + "'"
  }

  /// Whether the stall passes, which is over, or not until its session's last sign of life.
  func admits(_ duration: Nanoseconds, from startedNs: Nanoseconds, in session: StoredSession?) -> Bool {
    guard duration >= leastDuration else { return false }
    guard let since, let session else { return true }
    return session.wallClock(at: startedNs).saturatingAdd(duration) > since
  }

  /// The part of a session that lies in the range of time, on the session's monotonic clock; nil where none does.
  func part(of session: StoredSession) -> Range<Nanoseconds>? {
    let record = session.record
    let end = record.startedAt.saturatingAdd(session.duration)
    let (from, to) = (max(since ?? 0, record.startedAt), min(until ?? .max, end.saturatingAdd(1)))
    guard from < to else { return nil }
    return record.startedNs.saturatingAdd(
      from - record.startedAt)..<record.startedNs.saturatingAdd(to - record.startedAt)
  }

  /// The session as it is let through, cut to the range of time; nil where nothing of it is.
  func admitted(_ session: StoredSession) -> StoredSession? {
    guard sessions.isEmpty || sessions.contains(session.id) else { return nil }
    if let labels, !labels.sessions.contains(session.id) { return nil }
    guard isCutByTime else { return session }
    guard let part = part(of: session) else { return nil }
    var cut = session
    cut.leftOut = part.lowerBound - session.record.startedNs
    cut.record.startedNs = part.lowerBound
    cut.record.startedAt = session.record.startedAt.saturatingAdd(cut.leftOut)
    cut.lastSeenNs = min(session.lastSeenNs, part.upperBound)
    return cut
  }
}

extension StoredSession {
  /// The wall clock at a moment of the monotonic clock, in nanoseconds since 1970-01-01 UTC.
  package func wallClock(at moment: Nanoseconds) -> UInt64 {
    moment >= record.startedNs
      ? record.startedAt.saturatingAdd(moment - record.startedNs) : record.startedAt.since(record.startedNs - moment)
  }
}
