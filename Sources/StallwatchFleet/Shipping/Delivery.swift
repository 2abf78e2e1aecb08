import StallwatchStore

/// Where batches go. For one thread; waits for the answer, at most for a time of its own.
package protocol Delivery {
  /// What it is called in messages, without a password.
  var name: String { get }
  /// Sends a batch and says what became of it. Never throws: whatever happens has a meaning for the batch.
  func deliver(_ batch: SpooledBatch) -> DeliveryOutcome
}

/// What became of a batch.
package enum DeliveryOutcome: Sendable, Equatable {
  /// The destination has it.
  case taken
  /// The destination is away, busy, or answers what nobody understands. The batch may have arrived all the same.
  case notNow(String)
  /// The destination is there and takes nothing for a reason that a person has to mend: a wrong password, no tables.
  case notUntilMended(String)
  /// The destination will never take this batch.
  case never(String)
}
