/// One thing that a loop does after having waited: a hold, a nested run, or a hold inside nested runs.
struct Step: Codable, Sendable {
  /// Its number within the plan, 1, 2, 3 …
  var number: Int
  /// The mode that the loop runs in, CF's name.
  var mode: String
  /// Whether the callout is registered in the common modes, of which `mode` is then one.
  var inCommonModes: Bool
  /// The nested runs around the hold, outermost first; empty when it is not nested.
  var nested: [NestedRun]
  /// What holds the loop; nil for a healthy nested run.
  var hold: Hold?
}

/// A nested run that turns healthily all the while.
struct NestedRun: Codable, Sendable {
  /// The callout that runs the loop again.
  var callout: Callout
  /// The mode it runs in.
  var mode: String
  /// It turns once in this time.
  var turn: Nanoseconds
  /// How long it turns before the hold or the next nested run …
  var before: Nanoseconds
  /// … and how long after it.
  var after: Nanoseconds
}

/// What holds a loop, where, and for how long.
struct Hold: Codable, Sendable {
  /// What it does.
  var how: How
  /// Which lock, where it waits for one.
  var lock: LockKind?
  /// What CF is calling.
  var callout: Callout
  /// Which activity, where that is an observer.
  var activity: ObservedActivity?
  /// That observer's order: a span holds what observers do, whichever comes first.
  var order: Int?
  /// How long it is meant to be.
  var length: Nanoseconds
}
