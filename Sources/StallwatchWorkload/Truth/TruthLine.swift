/// One line of the truth. Keys that do not apply are left out.
struct TruthLine: Codable, Sendable {
  /// What a line reports.
  enum Kind: String, Codable, Sendable {
    case start, stallBegan = "stall-began", stall, nested, preempted, timer, end
  }

  var kind: Kind
  /// The step's number in the plan, the same for a stall and its beginning.
  var number: Int?
  /// `main`, or the thread's name.
  var loop: String?
  var threadID: UInt64?
  /// What kind of lane it is, with `--lanes`, and the functions that hold it.
  var laneKind: String?
  var culprits: [String]?
  /// CF's name of the mode in which the loop ran at that moment.
  var mode: String?
  /// The number of active runs of the loop: 1 is not nested.
  var depth: Int?
  var how: How?
  var lock: LockKind?
  var callout: Callout?
  var activity: ObservedActivity?
  var startedNs: Nanoseconds?
  var durationNs: Nanoseconds?
  /// The part of the duration in which the thread was runnable but had no processor.
  var runDelayNs: Nanoseconds?

  /// A timer's name, modes and interval, and its due times: all, served and dropped.
  var name: String?
  var modes: [String]?
  var intervalNs: Nanoseconds?
  var due: UInt64?
  var fired: UInt64?
  var dropped: UInt64?
  /// The first due time.
  var firstDueNs: Nanoseconds?

  var pid: Int32?
  var seed: UInt64?
  var thresholdNs: Nanoseconds?
  /// The number of holds of at least the threshold, as measured.
  var stalls: Int?
  /// The number of holds below the threshold, as measured.
  var nearMisses: Int?
  var nestedRuns: Int?
  /// The sum of the stalls' durations.
  var stalledNs: Nanoseconds?

  /// A line with nothing but its kind.
  init(_ kind: Kind) { self.kind = kind }

  enum CodingKeys: String, CodingKey {
    case kind, number, loop, mode, depth, how, lock, callout, activity, pid, seed, stalls
    case name, modes, due, fired, dropped, culprits
    case laneKind = "lane_kind"
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
