/// One line of what a scenario prints. Keys that do not apply are left out. Times are nanoseconds of the monotonic
/// clock.
public struct ScenarioLine: Codable, Sendable, Equatable {
  /// What a line says.
  public enum Kind: String, Codable, Sendable {
    /// A loop was run.
    case expectLoop = "expect-loop"
    /// A mode of it was run.
    case expectMode = "expect-mode"
    /// A span of it was held up.
    case expectStall = "expect-stall"
    /// The machine was late, for `duration_ns` from `started_ns`: with the thread named, or with the whole process.
    case preempted
    /// The last line: the scenario and what went wrong in it.
    case end
  }

  /// What it says.
  public var kind: Kind
  /// `main`, or the thread's name.
  public var loop: String?
  /// The operating system's number of the thread.
  public var threadID: UInt64?
  /// CF's name.
  public var mode: String?
  /// A mode's runs, at least.
  public var entriesAtLeast: Int?
  /// A mode's runs, at most.
  public var entriesAtMost: Int?
  /// How many of a mode's runs fit into one threshold.
  public var entriesInThreshold: Int?
  /// A mode's starvation, at least.
  public var starvedAtLeastNs: UInt64?
  /// The hold that plants a stall.
  public var hold: String?
  /// How many runs are active: 1 is not nested.
  public var depth: Int?
  /// A stall's phase.
  public var phase: String?
  /// Whether only a monitor with hooks can see the stall.
  public var needsHooks: Bool?
  /// When the hold began, or the machine's lateness.
  public var startedNs: UInt64?
  /// How long it was, as measured.
  public var durationNs: UInt64?
  /// The scenario's name.
  public var scenario: String?
  /// What the program did not do as it was meant to; empty when all was right.
  public var failures: [String]?

  /// A line that says no more than what it is about.
  public init(_ kind: Kind) { self.kind = kind }

  enum CodingKeys: String, CodingKey {
    case kind, loop, mode, hold, depth, phase, scenario, failures
    case threadID = "thread_id"
    case needsHooks = "needs_hooks"
    case entriesAtLeast = "entries_at_least"
    case entriesAtMost = "entries_at_most"
    case entriesInThreshold = "entries_in_threshold"
    case starvedAtLeastNs = "starved_at_least_ns"
    case startedNs = "started_ns"
    case durationNs = "duration_ns"
  }
}
