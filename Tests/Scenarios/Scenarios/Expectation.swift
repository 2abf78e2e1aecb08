/// What a monitor has to see of a scenario.
///
/// Stalls that are not named must not be reported; how late the machine itself was is counted separately.
public struct Expectation: Sendable {
  /// The modes of each loop that were run.
  public var modes: [ExpectedMode]
  /// Every stall, each planted by a hold of the same name.
  public var stalls: [ExpectedStall]

  /// An expectation.
  init(modes: [ExpectedMode], stalls: [ExpectedStall] = []) {
    self.modes = modes
    self.stalls = stalls
  }
}

/// A mode that a loop is run in.
public struct ExpectedMode: Sendable {
  /// `main`, or the thread's name.
  public var loop: String
  /// CF's name.
  public var mode: String
  /// How often a run of it begins.
  public var entries: ClosedRange<Int>
  /// For how long at least its own sources could not run because a nested mode ran, in milliseconds.
  public var starvedMilliseconds: Int
  /// How many runs fit into one threshold: what a monitor may miss that has no hooks, of a mode made after it started.
  public var entriesInThreshold: Int

  /// A mode whose runs can be counted.
  init(
    _ mode: String, of loop: String, entries: Int, starvedMilliseconds: Int = 0, entriesInThreshold: Int = 1
  ) {
    self.loop = loop
    self.mode = mode
    self.entries = entries...entries
    self.entriesInThreshold = entriesInThreshold
    self.starvedMilliseconds = starvedMilliseconds
  }
}

/// A span that is held up.
public struct ExpectedStall: Sendable {
  /// The hold that plants it.
  public var hold: String
  /// `main`, or the thread's name.
  public var loop: String
  /// The mode it is charged to, CF's name.
  public var mode: String
  /// How many runs are active: 1 is not nested.
  public var depth: Int
  /// The phase's name.
  public var phase: String
  /// Whether only a monitor with hooks can see it.
  public var needsHooks: Bool

  /// A stall.
  init(
    _ hold: String, on loop: String, mode: String, depth: Int = 1, phase: String, needsHooks: Bool = false
  ) {
    self.needsHooks = needsHooks
    self.hold = hold
    self.loop = loop
    self.mode = mode
    self.depth = depth
    self.phase = phase
  }
}

/// The modes that several scenarios use.
enum ModeName {
  /// CF's default mode.
  static let standard = "kCFRunLoopDefaultMode"
  /// What a user's drag or scroll runs a loop in.
  static let tracking = "ScenarioTracking"
  /// What a dialogue runs a loop in.
  static let modal = "ScenarioModal"
}
