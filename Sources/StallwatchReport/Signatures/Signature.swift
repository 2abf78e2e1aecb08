/// What held a loop, as a key that groups stalls with one cause.
package struct Signature: Sendable, Hashable {
  /// A short text that is the same for the same cause in every recording: 12 hexadecimal digits.
  package var key: String
  /// For people: the innermost function and the call it waited in, for example `ImageStore.decode(_:) · fsync`.
  package var title: String
  /// The functions that count, the callout's first.
  package var frames: [String]
  /// The system call that the thread waited in; nil where it did not wait for most of the time.
  package var call: String?
}

/// One look at a held thread, as the grouping rule sees it.
struct WeighedStack {
  var stack: FoldedStack
  /// The watched time that the look stands for.
  var weight: UInt64
  /// The system call that the thread waited in; nil for none.
  var call: String?
}
