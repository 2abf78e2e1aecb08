#if os(Linux)
  import CStallwatch
  import Foundation
  import Synchronization

  // What sampled threads do, each in a function of its own that a stack must show.

  @inline(never)
  func markedSleep(_ flag: SampledThread.StopFlag) {
    while !flag.isSet { usleep(50_000) }
  }

  @inline(never)
  func markedPoll(_ flag: SampledThread.StopFlag, _ descriptor: Int32, count: Int) {
    var polled = Array(repeating: pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), count: count)
    while !flag.isSet { _ = poll(&polled, nfds_t(count), 50) }
  }

  @inline(never)
  func markedHold(_ flag: SampledThread.StopFlag, _ lock: () -> Void, _ unlock: () -> Void) {
    lock()
    while !flag.isSet { usleep(50_000) }
    unlock()
  }

  @inline(never)
  func markedLock(_ lock: () -> Void, _ unlock: () -> Void) {
    lock()
    unlock()
  }

  @inline(never)
  func markedWait(_ flag: SampledThread.StopFlag, _ condition: NSCondition) {
    condition.lock()
    while !flag.isSet { condition.wait() }
    condition.unlock()
  }

  @inline(never)
  func markedWait(_ semaphore: DispatchSemaphore) {
    semaphore.wait()
  }

  @inline(never)
  func markedRecursion(_ depth: Int, _ flag: SampledThread.StopFlag) -> Int {
    if depth == 0 {
      markedSleep(flag)
      return 0
    }
    return markedRecursion(depth - 1, flag) + 1
  }

  @inline(never)
  func markedSpin(_ flag: SampledThread.StopFlag, _ lock: () -> Void = {}, _ unlock: () -> Void = {}) {
    lock()
    var number: UInt64 = 1
    while !flag.isSet { number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    unlock()
  }

  @inline(never)
  func markedAllocation(_ flag: SampledThread.StopFlag) {
    final class Node {
      var next: Node?
      var bytes = [UInt8](repeating: 1, count: 100)
    }
    while !flag.isSet {
      var list: Node?
      for _ in 0..<100 {
        let node = Node()
        node.next = list
        node.bytes.append(2)
        list = node
      }
      while let node = list { list = node.next }
    }
  }

  @inline(never)
  func markedAsynchronous(_ flag: SampledThread.StopFlag, _ number: Shared<Atomic<UInt64>>) async {
    await Task.yield()
    number.value.store(stallwatch_thread_id(), ordering: .releasing)
    markedSpin(flag)
  }

  /// A pthread mutex that closures can share.
  final class PthreadMutex: Sendable {
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(mutex, nil) }
    deinit { mutex.deallocate() }
    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
  }

  /// A value that cannot be copied, for closures to share.
  final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
  }
#endif
