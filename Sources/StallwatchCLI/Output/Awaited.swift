import Dispatch
import Synchronization

/// Does `work` and waits for it, in a verb, which is not async.
func awaited<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
  let outcome = Outcome<Value>()
  Task {
    let result: Result<Value, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    outcome.result.withLock { $0 = result }
    outcome.isThere.signal()
  }
  outcome.isThere.wait()
  return try outcome.result.withLock { $0! }.get()
}

/// What a task hands to the thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  let isThere = DispatchSemaphore(value: 0)
  let result = Mutex<Result<Value, any Error>?>(nil)
}
