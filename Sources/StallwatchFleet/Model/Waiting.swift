import Dispatch
import Synchronization

/// Waits, on a thread that may, for what is asynchronous.
enum Waiting {
  /// A value that one thread at a time uses.
  struct Unshared<Value>: @unchecked Sendable { let value: Value }

  /// What a task hands to the thread that waits for it.
  private final class Outcome<Answer: Sendable>: Sendable {
    let isThere = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Answer, any Error>?>(nil)
  }

  /// The answer of `body`. Throws what it throws. Never on a thread of Swift's pool: that might have no other.
  static func wait<Answer: Sendable>(_ body: @escaping @Sendable () async throws -> Answer) throws -> Answer {
    let outcome = Outcome<Answer>()
    Task {
      let result: Result<Answer, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      outcome.isThere.signal()
    }
    outcome.isThere.wait()
    guard let result = outcome.result.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}
