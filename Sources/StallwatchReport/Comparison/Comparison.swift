import StallwatchCore

/// The changes between two recordings, or between two sets of recordings.
package struct Comparison: Sendable {
  /// The totals of one side.
  package struct Side: Sendable {
    /// The names of its stores.
    package var stores: [String]
    /// The number of sessions.
    package var sessions: Int
    /// Sessions that more than one of its stores has; they count once.
    package var repeated: Int
    /// Watched time of all loops together, in seconds.
    package var loopSeconds: Double
    /// Iterations of all loops.
    package var iterations: UInt64
    /// The counts of its stalls.
    package var stalls: StallCounts
    /// The labels that all its sessions have in common; nil where nothing has labels.
    package var labels: CommonLabels?
  }

  /// The answer to a question about one cause, mode or timer.
  package enum Verdict: String, Sendable {
    /// Present on the new side only, and more often than chance explains.
    case new
    /// Present on the base side only, in the same way.
    case gone
    /// More often, longer or later.
    case worse
    /// Less often, shorter or earlier.
    case better
    /// No change that is both large enough and more than chance explains.
    case notShown = "not shown"

    /// Whether the change is a regression: new or worse.
    package var isRegression: Bool { self == .new || self == .worse }
  }

  /// What a comparison asks about a cause, mode or timer. Measures declare what is asked about modes and timers.
  package struct Question: Sendable, Equatable, CustomStringConvertible {
    /// Its name in JSON.
    package var key: String
    /// Its name in texts, without a quantile.
    package var title: String
    /// The unit of the values compared.
    package var unit: MeasureUnit

    /// How often a cause stalls: per hour of watched time, and per iteration.
    package static let rate = Question(key: "rate", title: "stalls an hour", unit: .rate)
    /// How often a session hangs: stalls that count in the hang rate, per hour of watched time.
    package static let hangs = Question(key: "hangs", title: "hangs an hour", unit: .rate)
    /// How long its stalls last: the geometric mean.
    package static let duration = Question(key: "duration", title: "duration", unit: .duration)
    /// How long everything lasts that has a duration: what causes and modes have in common.
    package static let speed = Question(key: "speed", title: "all durations", unit: .duration)

    package var description: String { key }
  }

  /// How much larger the new side's figure is: a factor, with the factors between which it lies with 95 % confidence.
  package struct Ratio: Sendable {
    package var value: Double
    /// Nil where the data do not bound it.
    package var low: Double?
    package var high: Double?
  }

  /// The answer to one question about one subject.
  package struct Change: Sendable {
    /// The subject: a cause's title, a loop and mode, or a timer and loop.
    package var subject: String
    /// A cause's sentence, which names the line to change; nil for other subjects.
    package var sentence: String?
    /// The cause's signature key; nil for modes and timers.
    package var signature: String?
    /// The keys of causes that count with it because they are the same bug.
    package var absorbed: [String] = []
    package var question: Question
    /// The quantile of a distribution; nil where the question has none.
    package var quantile: Quantile?
    /// The base side's value: stalls per hour, nanoseconds, or a share; nil where it is unknown.
    package var base: Double?
    /// The new side's value, in the same unit.
    package var new: Double?
    /// The number of stalls, spans, callouts or due times of each side.
    package var counts: (base: UInt64, new: UInt64)
    /// For how long a cause held loops on each side; nil for other subjects.
    package var held: (base: Nanoseconds, new: Nanoseconds)?
    package var verdict = Verdict.notShown
    /// New over base. By session, the interval covers what differs from session to session; otherwise it covers these
    /// recordings alone. Nil where a side lacks the figure.
    package var ratio: Ratio?
    /// The same beside all other durations, which a slower machine makes longer too; nil where nothing else is known.
    package var relative: Double?
    /// The factor that would have been found with 95 % probability; nil where so few sessions could show none.
    package var visible: Double?
    /// For a cause of one side, how many stalls would have been a finding; nil for others.
    package var needed: Int?
    /// For a cause of one side, how many stalls of the other have no readable stack and may be of it.
    package var hidden = 0
    /// The probability that chance alone yields a finding this strong in the whole comparison; nil if untested.
    package var chance: Double?
    /// The worst stall and its store, on the new side, or on the base side where the cause is gone; nil for none.
    package var worst: (store: String, stall: Int64)?

    /// The measure's name in texts: `span p99`.
    package var measure: String { [question.title, quantile?.key].compactMap(\.self).joined(separator: " ") }
    /// The subject's name in texts.
    package var name: String { sentence ?? subject }
    /// Whether it is about a cause that one side alone has.
    package var isOneSided: Bool { signature != nil && (counts.base == 0) != (counts.new == 0) }
  }

  /// What is compared, in one word: a session, or an instance with all its sessions of a release.
  package var unit = "session"
  /// The confidence of the verdicts (``ComparisonConfiguration/confidence``).
  package var confidence: Double
  /// The least relative change that is worse or better (``ComparisonConfiguration/leastChange``).
  package var leastChange: Double
  /// Whether there were sessions enough to test by session. Otherwise the sides are compared as these recordings alone,
  /// and only causes that are new or gone have a verdict.
  package var isBySession: Bool
  /// The least chance that so many sessions can show, over all questions; nil where there was no test by session.
  package var leastChance: Double?
  /// What all durations have in common; nil where too little is known.
  package var speed: Change?
  /// From which duration on stalls count for rates, where that is more than the threshold: what a faster session would
  /// not have seen does not count in a slower one.
  package var floor: Nanoseconds?
  /// The side to compare with.
  package var base: Side
  /// The side to judge.
  package var new: Side
  /// Every question with its answer, findings first, the surest first.
  package var changes: [Change]

  /// The findings, regressions first.
  package var findings: [Change] { changes.filter { $0.verdict != .notShown } }
  /// Whether anything is new or worse.
  package var isRegression: Bool { changes.contains { $0.verdict.isRegression } }
  /// Whether so many sessions could show a change that is worse or better.
  package var canShow: Bool { (leastChance ?? 1) <= 1 - confidence + 1e-9 }
  /// The fewest sessions of each side that could.
  package var neededSessions: Int {
    var (sessions, divisions) = (ComparisonConfiguration.fewestSessions, 70.0)
    let limit = (1 - confidence) * ComparisonConfiguration.shares.changes
    while 2 / divisions > limit + 1e-9, sessions < 1_000 {
      sessions += 1
      divisions *= Double(2 * (2 * sessions - 1)) / Double(sessions)
    }
    return sessions
  }
}
