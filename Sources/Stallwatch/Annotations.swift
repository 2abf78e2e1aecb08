import Synchronization

/// What the program says of itself, for stalls to carry. Any thread.
final class Annotations: Sendable {
  /// The most keys kept, because every stall copies them; further keys are ignored.
  static let capacity = 32

  private let pairs = Mutex<[String: String]>([:])

  func set(_ key: String, to value: String?) {
    pairs.withLock { pairs in
      if pairs[key] == nil, pairs.count == Self.capacity { return }
      pairs[key] = value
    }
  }

  var current: [String: String] { pairs.withLock { $0 } }
}
