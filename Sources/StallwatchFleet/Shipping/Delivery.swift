import StallwatchStore

/// The destination of batches. For one thread; waits for each answer up to a limit of its own.
package protocol Delivery {
  /// Its name in messages, without a password.
  var name: String { get }
  /// Sends a batch and returns the outcome. Never throws: every failure is an outcome of the batch.
  func deliver(_ batch: SpooledBatch) -> DeliveryOutcome
}

/// What became of a batch.
package enum DeliveryOutcome: Sendable, Equatable {
  /// The destination has it.
  case taken
  /// The destination is unreachable or busy, or its answer makes no sense. The batch may have arrived all the same.
  case notNow(String)
  /// The destination answers, and takes nothing until a person fixes something: a wrong password, missing tables.
  case notUntilMended(String)
  /// The destination will never take this batch.
  case never(String)
}
