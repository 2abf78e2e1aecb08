import StallwatchCore

/// What held a loop, as a key that groups stalls with one cause. Signatures with the same key are the same.
package struct Signature: Sendable, Hashable {
  /// A short text that is the same for the same cause in every recording: 12 hexadecimal digits.
  package var key: String
  /// For people: the function that counts and the call it waited in, for example `ImageStore.decode(_:) · fsync`.
  package var title: String
  /// The function that counts, last, and its callers, as the first stall showed them.
  package var frames: [String]
  /// The system call that the thread waited in; nil where it did not wait for most of the time.
  package var call: String?
  /// The key of the cause that it nearly was: that of an own function which the one that counts called for at least a third
  /// of the time, but not for more than half. Nil for none.
  package var near: String?

  /// Sets every property as given.
  package init(key: String, title: String, frames: [String], call: String? = nil, near: String? = nil) {
    (self.key, self.title, self.frames, self.call, self.near) = (key, title, frames, call, near)
  }

  package static func == (left: Signature, right: Signature) -> Bool { left.key == right.key }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// One look at a held thread, as the grouping rule sees it.
struct WeighedStack {
  var stack: FoldedStack
  /// The watched time that the look stands for.
  var weight: UInt64
  /// The system call that the thread waited in; nil for none.
  var call: String?
  /// The object behind that call; nil where unknown.
  var target: String?
  /// Who held the lock that the thread waited for; nil where unknown.
  var holder: Blame.Holder?
  /// What the thread did.
  var activity = ThreadActivity.running
}
