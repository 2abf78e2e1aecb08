import Foundation
import Synchronization

/// Hands one value from one thread to another.
final class Handover<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let given = DispatchSemaphore(value: 0)

  /// Gives the value, once.
  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    given.signal()
  }

  /// Waits for the value.
  func take() -> Value {
    given.wait()
    given.signal()
    return value.withLock { $0! }
  }
}
