import StallwatchCore
import StallwatchLibc

/// What a comparison asks about the causes of stalls: how often each stalls, and for how long.
struct CauseQuestions {
  let base: ComparedSide
  let new: ComparedSide
  /// The sessions of both sides, those of the base first.
  let sessions: [ComparedSession]
  /// From which duration on the stalls of each session count.
  let floors: [Nanoseconds]
  let isBySession: Bool
  /// The exposures by which rates count: time, and iterations where every session has some.
  let exposures: [[Double]]

  init(base: ComparedSide, new: ComparedSide, floors: [Nanoseconds], isBySession: Bool) {
    (self.base, self.new, self.floors, self.isBySession) = (base, new, floors, isBySession)
    sessions = base.sessions + new.sessions
    let iterations = sessions.map { Double($0.iterations) }
    exposures = [sessions.map { $0.seconds / 3_600 }] + (iterations.contains { $0 <= 0 } ? [] : [iterations])
  }

  /// The keys of all causes.
  var keys: [String] { Set(base.causes.keys).union(new.causes.keys).sorted() }

  /// For how long a cause held loops, on both sides.
  func held(_ key: String) -> Nanoseconds {
    sessions.compactMap { $0.causes[key]?.total }.saturatingSum()
  }

  /// The durations of a cause, session by session.
  func levels(of key: String) -> [Level?] {
    parts.flatMap { part -> [Level?] in
      let spread = part.spread.reduce(into: DurationSpread()) { sum, place in
        if let cause = sessions[place].causes[key] { sum += cause.spread }
      }
      return part.places.map { place in
        sessions[place].causes[key].flatMap { Level($0.sums(from: floors[place]), spread: spread) }
      }
    }
  }

  /// The places of each side's sessions, and those that tell how much stalls vary within sessions: the side's own, but
  /// in a test by session all, for nothing but the sides may tell the sides apart there.
  private var parts: [(places: Range<Int>, spread: Range<Int>)] {
    let all = 0..<sessions.count
    return [0..<base.sessions.count, base.sessions.count..<sessions.count].map { ($0, isBySession ? all : $0) }
  }

  /// A question without an answer.
  func change(_ key: String, _ question: Comparison.Question, sentences: [String: String]) -> Comparison.Change? {
    guard let cause = new.causes[key] ?? base.causes[key] else { return nil }
    let (before, now) = (base.total(of: key), new.total(of: key))
    return Comparison.Change(
      subject: cause.signature.title, sentence: sentences[key], signature: key, question: question,
      counts: (UInt64(before.count), UInt64(now.count)), held: (before.time, now.time),
      worst: cause.worst.map { ($0.place.store, $0.place.stall) })
  }

  /// How often the cause stalls.
  func rate(_ change: Comparison.Change, of key: String) -> ComparedQuestion {
    let counts = zip(sessions, floors).map { session, floor in session.causes[key]?.sums(from: floor).count ?? 0 }
    let dispersions = parts.flatMap { part -> [Double] in
      Array(repeating: dispersion(of: key, sessions[part.spread]), count: part.places.count)
    }
    return .rate(change, counts: counts, exposures: exposures, dispersions: dispersions)
  }

  /// How much more the stalls in slices of sessions vary than single events would.
  private func dispersion(of key: String, _ sessions: ArraySlice<ComparedSession>) -> Double {
    var (squares, degrees) = (0.0, 0.0)
    for session in sessions {
      guard let cause = session.causes[key], cause.count > 0 else { continue }
      let mean = Double(cause.count) / Double(SessionCause.slices)
      for slice in cause.bySlice { squares += (slice.count - mean) * (slice.count - mean) / mean }
      degrees += Double(SessionCause.slices - 1)
    }
    return degrees > 0 ? max(squares / degrees, 1) : 1
  }

  /// For each of these causes, how surely the side numbered 0 (base) or 1 (new) has it alone.
  func oneSided(_ keys: [String], side: Int) -> OneSidedCauses.Test {
    OneSidedCauses.Test(keys.map { (events(of: $0), share(of: side)) })
  }

  /// How many stalls of the other side may be of a cause that this side alone seems to have: those without a readable
  /// stack whose thread did the same.
  func hidden(_ key: String, side: Int) -> Int {
    let (own, other) = side == 0 ? (base, new) : (new, base)
    return own.causes[key]?.blame.flatMap { other.unread[$0.activity] } ?? 0
  }

  /// The probability that chance puts the stalls that this side has of a cause on it, if all hidden ones are of it,
  /// too.
  func chance(_ key: String, side: Int) -> Double {
    let (seen, hidden) = (events(of: key), Double(hidden(key, side: side)))
    guard hidden > 0 else { return 0 }
    // Of many events, fewer in the same proportion tell as much.
    let scale = min(1, Double(Binomial.most) / (seen + hidden))
    let count = Int((seen * scale).rounded(.down))
    return Binomial.chance(
      atLeast: count, of: count + Int((hidden * scale).rounded(.up)), share: share(of: side))
  }

  /// A side's part of the watched time.
  func share(of side: Int) -> Double {
    let (before, now) = (base.seconds, new.seconds)
    return before + now > 0 ? (side == 0 ? before : now) / (before + now) : 1
  }

  /// How many single events a cause's stalls are at least, on both sides together: a burst is one, of very many stalls
  /// only some count, and where sessions differ by more than chance makes them, stalls count for less.
  private func events(of key: String) -> Double {
    parts.map(\.places).reduce(0.0) { sum, part in
      let counts = part.map { place -> Double in
        guard let cause = sessions[place].causes[key], cause.count > 0 else { return 0 }
        let seen = cause.sums(from: floors[place]).count / Double(cause.count)
        let occurrences = Occurrences.count(cause.starts, apart: cause.apart, length: sessions[place].duration)
        return seen * Double(occurrences)
      }
      let exposures = part.map { sessions[$0].seconds }
      return sum + counts.reduce(0, +) / Occurrences.dispersion(counts, exposures: exposures)
    }
  }
}
