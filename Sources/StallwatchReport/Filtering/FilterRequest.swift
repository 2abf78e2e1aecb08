import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// What somebody wants to read of stores, in words: a ``StoreFilter`` before the stores are known.
package struct FilterRequest: Sendable {
  package var since: Moment?
  package var until: Moment?
  /// The time up to the last sign of life of the sessions that are read.
  package var last: Nanoseconds?
  package var sessions: [Int64] = []
  /// Labels of sessions, as ``CompleteLabels`` has them: one of those of each name.
  package var labels: [SessionLabels.Name: [String]] = [:]
  /// Tags of sessions: one of those of each name.
  package var tags: [SessionLabels.Tag] = []
  package var loops: [String] = []
  package var modes: [String] = []
  /// `running`, `blocked`, `starved`, or a cause as reports name it: its title, or its signature.
  package var causes: [String] = []
  package var annotations: [StoreFilter.Annotation] = []
  package var leastDuration: Nanoseconds = 0

  /// Asks for everything.
  package init() {}

  /// Whether it asks for everything.
  package var isEmpty: Bool {
    since == nil && until == nil && last == nil && sessions.isEmpty && !choosesLabels && loops.isEmpty && modes.isEmpty
      && causes.isEmpty
      && annotations.isEmpty && leastDuration == 0
  }

  private var choosesLabels: Bool { !tags.isEmpty || labels.values.contains { !$0.isEmpty } }

  /// A reader of what is asked for. Throws ``FilterError`` where `store` has nothing of a name that is asked for, and
  /// what reading throws. A cause by its name takes a pass over all sampled stalls, which `search` names.
  package func reader(of store: StoreReader, search: SymbolSearch) throws -> StoreReader {
    guard !isEmpty else { return store }
    var filter = StoreFilter()
    let chosen = try chosenSessions(of: store)
    filter.sessions = sessions
    if choosesLabels {
      filter.labels = StoreFilter.Labels(names: labels, tags: tags, sessions: Set(chosen.map(\.id)))
    }
    try setTime(of: &filter, sessions: chosen)
    if filter.isCutByTime, !store.hasWindows { throw FilterError.tooOld(what: "no part of a session's time") }
    (filter.loops, filter.modes) = (loops, modes)
    let stored = try chosen.flatMap { try store.loops(session: $0.id) }
    try Self.require(loops, in: stored.map(\.record.name), what: "loop")
    if !modes.isEmpty {
      let names = try stored.filter { loops.isEmpty || loops.contains($0.record.name) }
        .flatMap { try store.modeNames(loop: $0.id).map(\.1) }
      try Self.require(modes, in: names, what: "mode")
    }
    (filter.annotations, filter.leastDuration) = (annotations, leastDuration)
    if !annotations.isEmpty { try requireAnnotations(of: store, sessions: Set(chosen.map(\.id))) }
    let names = causes.filter { ThreadActivity(rawValue: $0) == nil }
    if !names.isEmpty { filter.causes = try stalls(of: names, in: store.filtered(by: filter), search: search) }
    filter.activities = causes.compactMap { ThreadActivity(rawValue: $0) }
    if !filter.activities.isEmpty, !store.hasCauses { throw FilterError.tooOld(what: "no causes") }
    return try store.filtered(by: filter)
  }

  private func chosenSessions(of store: StoreReader) throws -> [StoredSession] {
    let all = try store.sessions()
    if let unknown = sessions.first(where: { wanted in !all.contains { $0.id == wanted } }) {
      throw FilterError.unknown(what: "session", name: String(unknown), known: all.map { String($0.id) })
    }
    let chosen = sessions.isEmpty ? all : all.filter { sessions.contains($0.id) }
    return choosesLabels ? try sessions(chosen, of: store) : chosen
  }

  /// Those of `sessions` that have the labels that are asked for.
  private func sessions(_ sessions: [StoredSession], of store: StoreReader) throws -> [StoredSession] {
    var left = try sessions.map { (session: $0, labels: try store.labels(of: $0)) }
    for name in SessionLabels.Name.allCases {
      guard let wanted = labels[name], !wanted.isEmpty else { continue }
      let known = left.map(\.labels[name])
      if let unknown = wanted.first(where: { !known.contains($0) }) {
        throw FilterError.unknown(what: name.rawValue, name: unknown, known: known.filter { !$0.isEmpty })
      }
      left.removeAll { !wanted.contains($0.labels[name]) }
    }
    for (name, wanted) in Dictionary(grouping: tags, by: \.name).sorted(by: { $0.key < $1.key }) {
      if let unknown = wanted.first(where: { tag in !left.contains { $0.labels.tags[name] == tag.value } }) {
        let known = left.flatMap { $0.labels.tags.map { "\($0.key)=\($0.value)" }.sorted() }
        throw FilterError.unknown(what: "tag", name: unknown.description, known: known)
      }
      left.removeAll { entry in !wanted.contains { $0.value == entry.labels.tags[name] } }
    }
    return left.map(\.session)
  }

  private func setTime(of filter: inout StoreFilter, sessions: [StoredSession]) throws {
    guard since != nil || until != nil || last != nil else { return }
    let day = sessions.last?.record.startedAt ?? 0
    let ends = sessions.map { $0.record.startedAt.saturatingAdd($0.duration) }
    filter.until = until?.nanoseconds(onDayOf: day)
    filter.since = since?.nanoseconds(onDayOf: day) ?? last.map { (filter.until ?? ends.max() ?? 0).since($0) }
    if let since = filter.since, let until = filter.until, since >= until { throw FilterError.emptyRange }
    guard let first = sessions.map(\.record.startedAt).min(), let end = ends.max() else { return }
    if filter.since ?? 0 > end || filter.until ?? .max <= first { throw FilterError.outside(from: first, until: end) }
  }

  private func requireAnnotations(of store: StoreReader, sessions: Set<Int64>) throws {
    var missing = Set(annotations)
    var known: Set<StoreFilter.Annotation> = []
    struct AllFound: Error {}
    do {
      try store.forEachStall { stall in
        guard sessions.contains(stall.session) else { return }
        for (key, value) in stall.began.annotations where known.count < FilterError.mostCollected {
          known.insert(StoreFilter.Annotation(key: key, value: value))
        }
        missing = missing.filter { stall.began.annotations[$0.key] != $0.value }
        if missing.isEmpty { throw AllFound() }
      }
    } catch is AllFound {
      return
    }
    guard let name = annotations.first(where: missing.contains) else { return }
    throw FilterError.unknown(
      what: "annotation", name: "\(name.key)=\(name.value)", known: known.map { "\($0.key)=\($0.value)" }.sorted())
  }

  /// The stalls of causes as a report names them: also those of causes that count with one of them.
  private func stalls(of names: [String], in store: StoreReader, search: SymbolSearch) throws -> StoreFilter.Causes {
    let stacks = StackReader(store, search: search)
    var (folding, signatures) = (SignatureFolding(), [Int64: Signature]())
    try store.forEachBriefStall { stall, samples in
      guard let cause = try stacks.cause(of: samples, session: stall.session) else { return }
      if stall.state != .cancelled { folding.add(StallSum(stall), cause) }
      signatures[stall.id] = cause.signature
    }
    let folded = folding.folded()
    var wanted: Set<Signature> = []
    for name in names {
      let found = folded.reports.filter {
        [$0.signature.key, $0.signature.title, CauseSentence($0.blame).description].contains(name)
      }
      guard !found.isEmpty else {
        throw FilterError.unknown(
          what: "cause", name: name,
          known: ThreadActivity.allCases.map(\.rawValue) + folded.reports.map(\.signature.title))
      }
      wanted.formUnion(found.map(\.signature))
    }
    let rows = signatures.filter { wanted.contains(folded.merged[$0.value] ?? $0.value) }.keys
    return StoreFilter.Causes(names: names, stalls: Set(rows))
  }

  private static func require(_ names: [String], in known: [String], what: String) throws {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw FilterError.unknown(what: what, name: unknown, known: known)
  }
}

/// Why a store cannot be read as somebody asks.
package enum FilterError: Error, Equatable, CustomStringConvertible {
  /// It has nothing of the name; it has `known`.
  case unknown(what: String, name: String, known: [String])
  /// It was written by a version that did not keep what is asked for.
  case tooOld(what: String)
  /// The range ends before it begins.
  case emptyRange
  /// All sessions lie outside the range of time, from one moment to the other.
  case outside(from: UInt64, until: UInt64)

  /// The most different names that are looked at to name some.
  static let mostCollected = 1_000
  private static let shown = 5

  package var description: String {
    switch self {
    case .unknown(let what, let name, let known):
      var names: [String] = []
      for name in known where !names.contains(name) { names.append(name) }
      let some = names.prefix(Self.shown).map { "'\(DisplayText.name($0, to: 60))'" }
      let rest = names.count > Self.shown ? ["\(names.count - Self.shown) more"] : []
      let there = names.isEmpty ? "there is none" : "there is \(Figure.list(some + rest))"
      return "no \(what) '\(DisplayText.name(name, to: 60))'; \(there)"
    case .tooOld(let what): return "a store of this age holds \(what) to choose by; record anew"
    case .emptyRange: return "the range of time ends before it begins"
    case .outside(let from, let until):
      return "nothing was recorded in that time; the sessions are from \(Timestamp.readable(from)) to "
        + Timestamp.readable(until)
    }
  }
}
