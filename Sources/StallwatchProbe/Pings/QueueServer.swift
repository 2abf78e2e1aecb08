import CStallwatch
import StallwatchCore
import Synchronization

/// A serial queue of Dispatch's that is pinged: it says itself which thread serves it.
final class QueueServer: Sendable {
  private let address: UInt64
  /// Whether it named the right thread when it served a ping. A concurrent queue does not, nor does another libdispatch.
  private let isProven = Atomic<Bool>(false)
  private let isTried = Atomic<Bool>(false)

  /// `queue` is a `DispatchQueue`. On Linux that wraps libdispatch's own queue, its only property, after the two words that
  /// every Swift object begins with. Were it otherwise, nothing would be proven.
  init(_ queue: AnyObject) {
    let object = Unmanaged.passUnretained(queue).toOpaque()
    #if os(Linux)
      let place = 2 * MemoryLayout<UInt>.stride
      address = SafeMemory.load(UInt64.self, at: UInt64(UInt(bitPattern: object + place))) ?? 0
    #else
      address = UInt64(UInt(bitPattern: object))
    #endif
  }

  /// Compares what the queue says with the calling thread, which serves it now. Once: that takes two system calls.
  func prove() {
    guard !isTried.exchange(true, ordering: .relaxed) else { return }
    isProven.store(claimed == stallwatch_thread_id(), ordering: .relaxed)
  }

  /// The thread that serves it; nil where none does or it cannot be known. For the watchdog.
  var thread: UInt64? { isProven.load(ordering: .relaxed) ? claimed : nil }

  /// The thread that the queue names.
  private var claimed: UInt64? {
    DispatchQueueServer.thread(serving: address)
  }
}
