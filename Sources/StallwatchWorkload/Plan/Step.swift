/// One thing that a loop does after a wait: a hold, a nested run, or a hold inside nested runs.
struct Step: Codable, Sendable {
  /// Its number in the plan, counted from 1.
  var number: Int
  /// CF's name of the mode in which the loop runs.
  var mode: String
  /// Whether the callout is registered in the common modes instead of in the mode of its run.
  var inCommonModes: Bool
  /// The nested runs around the hold, outermost first; empty for a hold that is not nested.
  var nested: [NestedRun]
  /// What holds the loop; nil for a healthy nested run.
  var hold: Hold?
}

/// A nested run in which the loop turns healthily all the time.
struct NestedRun: Codable, Sendable {
  /// The callout that runs the loop again.
  var callout: Callout
  /// The mode of the nested run.
  var mode: String
  /// The time between two turns, in nanoseconds.
  var turn: Nanoseconds
  /// How long it turns before the hold or the next nested run.
  var before: Nanoseconds
  /// How long it turns afterwards.
  var after: Nanoseconds
}

/// What holds a loop, where, and for how long.
struct Hold: Codable, Sendable {
  /// What the hold does with its time.
  var how: How
  /// The lock for which it waits; nil for other holds.
  var lock: LockKind?
  /// The callout in which it holds the loop.
  var callout: Callout
  /// The observed activity where the callout is an observer; nil otherwise.
  var activity: ObservedActivity?
  /// The observer's order; nil otherwise. A span contains the work of observers of any order.
  var order: Int?
  /// The planned length.
  var length: Nanoseconds
}
