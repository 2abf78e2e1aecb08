import StallwatchCore

/// When the writer releases the memory that only writing needs. At rest, and between the closings of a minute, that is
/// nearly always; where stalls come one after the other, it would cost more time than it is worth.
struct MemoryReleases {
  /// What is released takes a millisecond to make again: so many in a minute cost a ten-thousandth of a processor.
  static let most = 6
  private static let period = 60 * Nanoseconds.second
  private var periodStart: Nanoseconds = 0
  private var count = 0
  /// Whether figures have come into the store since the last release. That takes the most memory of all, and comes once
  /// a minute: what it leaves behind is released however many releases there were.
  private var isOwed = false

  /// Notes that figures have come into the store.
  mutating func owe() { isOwed = true }

  /// Whether one may come now; counts it if so.
  mutating func mayCome(at now: Nanoseconds) -> Bool {
    if isOwed {
      isOwed = false
      return true
    }
    if now.since(periodStart) >= Self.period { (periodStart, count) = (now, 0) }
    guard count < Self.most else { return false }
    count += 1
    return true
  }

  /// Releases the writer's memory if it holds any, unless that was done too often lately.
  mutating func release(_ writer: StoreWriter, at now: Nanoseconds) {
    guard !writer.connection.isReleased, mayCome(at: now) else { return }
    writer.releaseMemory()
  }
}
