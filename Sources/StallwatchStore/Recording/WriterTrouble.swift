/// What went wrong in writing, for reports to show.
struct WriterTrouble: Sendable {
  private var message: String?
  /// Whether the last try failed.
  var isFailing = false
  /// How many records were refused or given up, as far as known.
  var lost: UInt64 = 0
  /// Whether closing took longer than it may.
  var isUnfinished = false
  /// Whether the store no longer stands where it was opened.
  var isStoreGone = false
  /// How many of the ``lost`` records no loss in the store reports.
  private(set) var unreported: UInt64 = 0

  /// What keeps the live region from being written; nil when nothing does.
  var live: String?

  /// Counts `count` records as not written, and the loss of `unreported` others as not reported.
  mutating func giveUp(_ count: Int, unreported: UInt64) {
    lost = lost.saturatingAdd(UInt64(count))
    self.unreported = self.unreported.saturatingAdd(unreported.saturatingAdd(UInt64(count)))
  }

  /// Notes a try that failed.
  mutating func note(_ failure: SQLiteFailure) {
    message = failure.message
    isFailing = true
  }

  /// Notes why the store is not open, so that nothing can be written.
  mutating func note(_ error: StoreError) {
    message = error.message
    isFailing = true
  }

  private static let unfinished = "closing the store took too long, so the session's end is missing"

  /// The trouble in words; nil when nothing went wrong, or when it passed without a loss.
  var text: String? {
    // Everything else is lost with it.
    if isStoreGone { return StoreRecorder.storeIsGone }
    guard let message, isFailing || lost > 0 else { return isUnfinished ? Self.unfinished : live }
    return lost == 0 ? message : "\(message); \(lost) \(lost == 1 ? "record" : "records") lost"
  }
}
