import Synchronization

/// What a trait runs of a test. A trait within it, of the test itself, overrules that of the suite.
final class TraitScope: Sendable {
  @TaskLocal static var current: TraitScope?

  private let overruled = Mutex(false)

  /// Whether another trait judges the test.
  var isOverruled: Bool { overruled.withLock { $0 } }

  /// Leaves the judgement to another.
  func overrule() { overruled.withLock { $0 = true } }
}
