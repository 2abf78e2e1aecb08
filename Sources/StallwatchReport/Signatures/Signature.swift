/// What held a loop, so that stalls with one cause can be counted as one.
public struct Signature: Sendable, Hashable {
  /// A short text that is the same for the same cause in every recording: 12 hexadecimal digits.
  public var key: String
  /// For people: the innermost function, and what it waited in, for example `ImageStore.decode(_:) · fsync`.
  public var title: String
  /// The functions that it is made of, the callout's first.
  public var frames: [String]
  /// The system call that the thread waited in; nil where it did not wait for most of the time.
  public var call: String?
}

/// One look at a held thread, as the grouping rule sees it.
struct WeighedStack {
  /// The stack.
  var stack: FoldedStack
  /// The watched time that it stands for.
  var weight: UInt64
  /// The system call that the thread waited in.
  var call: String?
}
