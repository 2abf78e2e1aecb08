/// One line of the truth. Keys that do not apply are left out.
struct TruthLine: Codable, Sendable {
  /// What a line is about.
  enum Kind: String, Codable, Sendable {
    case start, stallBegan = "stall-began", stall, nested, preempted, timer, end
  }

  var kind: Kind
  /// The step's number in the plan: a stall and its beginning have the same.
  var number: Int?
  /// `main`, or the thread's name.
  var loop: String?
  var threadID: UInt64?
  /// The mode that the loop ran in at that moment, CF's name.
  var mode: String?
  /// How many runs of the loop were active: 1 is not nested.
  var depth: Int?
  var how: How?
  var lock: LockKind?
  var callout: Callout?
  var activity: ObservedActivity?
  var startedNs: Nanoseconds?
  var durationNs: Nanoseconds?
  /// The part of the duration in which the thread was ready and got no processor.
  var runDelayNs: Nanoseconds?

  /// A timer's name and modes, and what became of its due times.
  var name: String?
  var modes: [String]?
  var intervalNs: Nanoseconds?
  var due: UInt64?
  var fired: UInt64?
  var dropped: UInt64?
  /// When it was due for the first time.
  var firstDueNs: Nanoseconds?

  var pid: Int32?
  var seed: UInt64?
  var thresholdNs: Nanoseconds?
  /// Holds of at least the threshold, as measured.
  var stalls: Int?
  /// Holds below the threshold, as measured.
  var nearMisses: Int?
  var nestedRuns: Int?
  /// The stalls' durations, added up.
  var stalledNs: Nanoseconds?

  /// A line that says no more than what it is about.
  init(_ kind: Kind) { self.kind = kind }

  enum CodingKeys: String, CodingKey {
    case kind, number, loop, mode, depth, how, lock, callout, activity, pid, seed, stalls
    case name, modes, due, fired, dropped
    case intervalNs = "interval_ns"
    case firstDueNs = "first_due_ns"
    case threadID = "thread_id"
    case startedNs = "started_ns"
    case durationNs = "duration_ns"
    case runDelayNs = "run_delay_ns"
    case thresholdNs = "threshold_ns"
    case nearMisses = "near_misses"
    case nestedRuns = "nested_runs"
    case stalledNs = "stalled_ns"
  }
}
