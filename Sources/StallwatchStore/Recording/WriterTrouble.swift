/// What went wrong while writing, for the final word in a report.
struct WriterTrouble: Sendable {
  private var message: String?
  /// The last try failed.
  var isFailing = false
  /// Records that were refused or given up, as far as is known.
  var lost: UInt64 = 0
  /// Closing took longer than it may.
  var isUnfinished = false
  /// Whether the store no longer stands where it was opened.
  var isStoreGone = false
  /// Those of them that no loss in the store tells of.
  private(set) var untold: UInt64 = 0

  /// `count` records are not written after all, nor is the loss of `untold` others.
  mutating func giveUp(_ count: Int, untold: UInt64) {
    lost = lost.saturatingAdd(UInt64(count))
    self.untold = self.untold.saturatingAdd(untold.saturatingAdd(UInt64(count)))
  }

  /// Takes note of a try that failed.
  mutating func note(_ failure: SQLiteFailure) {
    message = failure.message
    isFailing = true
  }

  /// The store cannot be opened, so nothing is ever written.
  mutating func refuse(_ error: StoreError) {
    message = error.message
    isFailing = true
  }

  private static let unfinished = "the time to close the store ran out, so the session's end is missing"

  /// In words; nil when nothing went wrong, or it passed without a loss.
  var text: String? { text(afterLosing: 0) }

  /// The same, with `more` records known to be lost.
  func text(afterLosing more: UInt64) -> String? {
    // All else is lost with it.
    if isStoreGone { return StoreRecorder.storeIsGone }
    let all = lost.saturatingAdd(more)
    guard let message, isFailing || all > 0 else { return isUnfinished ? Self.unfinished : nil }
    return all == 0 ? message : "\(message); \(all) \(all == 1 ? "record" : "records") lost"
  }
}
