import StallwatchCore

/// When the writer releases the memory that only writing needs. At rest, and between the closings of a minute, that is
/// nearly always; where stalls come one after the other, it would cost more time than it is worth.
struct MemoryReleases {
  /// Nothing was written for so long when memory is released that a closing did not need: where a stall has come, the
  /// next one mostly follows soon, and would make all of it again.
  static let quietTime = 1 * Nanoseconds.second
  /// What is released takes a millisecond to make again: so many in a minute cost a ten-thousandth of a processor.
  static let most = 6
  private static let period = 60 * Nanoseconds.second
  private var periodStart: Nanoseconds = 0
  private var count = 0
  /// Whether figures have come into the store since the last release. That takes the most memory of all, and comes once
  /// a minute: what it leaves behind is released however many releases there were.
  private var isOwed = false
  private var writtenAt: Nanoseconds = 0

  /// Notes that figures have come into the store.
  mutating func owe() { isOwed = true }

  /// Notes that something was written.
  mutating func noteWriting(at now: Nanoseconds) { writtenAt = now }

  /// When one may come if nothing is written until then.
  var dueNs: Nanoseconds {
    if isOwed { return 0 }
    let quiet = writtenAt.saturatingAdd(Self.quietTime)
    return count < Self.most ? quiet : max(quiet, periodStart.saturatingAdd(Self.period))
  }

  /// Whether one may come now; counts it if so.
  mutating func mayCome(at now: Nanoseconds) -> Bool {
    guard now >= dueNs else { return false }
    if isOwed {
      isOwed = false
      return true
    }
    if now.since(periodStart) >= Self.period { (periodStart, count) = (now, 0) }
    count += 1
    return true
  }

  /// Releases the writer's memory if it holds any, unless that was done too often lately. Returns whether it did.
  mutating func release(_ writer: StoreWriter, at now: Nanoseconds) -> Bool {
    guard !writer.connection.isReleased, mayCome(at: now) else { return false }
    writer.releaseMemory()
    return true
  }
}
