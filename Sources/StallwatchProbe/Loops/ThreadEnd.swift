import StallwatchCore
import StallwatchLibc
import Synchronization

/// Sees the thread of a watched loop end, through the destructor of a thread-specific value. Lies in the loop's memory.
/// A thread has one for each monitor that watches it; they form a list.
struct ThreadEnd {
  /// The loop that the memory serves, retained until its thread ends, which may be long after watching has stopped.
  var watched: Unmanaged<WatchedLoop>?
  /// The same thread's entry under another monitor. Used on that thread only.
  private var next: UnsafeMutablePointer<ThreadEnd>?
  let ended: EndedThreads

  init(ended: EndedThreads) { self.ended = ended }

  /// The key; nil when the process has none left. The monitor then sees a loop's end only when watching stops.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // The destructor runs on the ending thread, after its last run loop has returned.
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      var end: UnsafeMutablePointer<ThreadEnd>? = memory.assumingMemoryBound(to: ThreadEnd.self)
      while let current = end {
        // Read first: after `announce` the memory may serve another loop.
        end = current.pointee.next
        announce(current)
      }
    }
    return failed == 0 ? key : nil
  }()

  /// Makes the key, so that ``watch(_:)`` does not have to on a watched thread.
  static func prepare() { _ = key }

  /// Sets the calling thread's value. Allocates nothing if the key is among the first 32.
  static func watch(_ end: UnsafeMutablePointer<ThreadEnd>) {
    guard let key else { return }
    end.pointee.next = pthread_getspecific(key)?.assumingMemoryBound(to: ThreadEnd.self)
    pthread_setspecific(key, end)
  }

  /// On the ending thread: releases its loop, so that CF frees it as it would without us, and leaves the rest to the
  /// watchdog.
  private static func announce(_ end: UnsafeMutablePointer<ThreadEnd>) {
    guard let watched = end.pointee.watched else { return }
    end.pointee.watched = nil
    let ended = end.pointee.ended
    let loop = watched.takeRetainedValue()
    if loop.kind == .eventLoop { observe(loop.memory.tap(at: 0), .exit, at: Platform.now()) }
    loop.leaveIfFree()
    // From here on the memory may serve another loop.
    loop.memory.region.endThread(at: Platform.now())
    ended.add()
  }
}

/// The number of ended threads whose loops are not released yet. In memory that never moves.
struct EndedThreads: @unchecked Sendable {
  private let counter: UnsafeMutablePointer<Atomic<Int>>
  private let parker: Parker

  /// Wakes the watchdog at every multiple of this: often enough that little memory waits for it, and so rarely that
  /// waking costs nothing beside the ending of as many threads.
  private static let wakingCount = 64

  /// Takes memory that is never given back, because a thread may end at any time. Nil when there is none.
  init?(parker: Parker) {
    guard let memory = ZeroedMemory.allocate(byteCount: MemoryLayout<Int>.size) else { return nil }
    counter = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    self.parker = parker
  }

  var count: Int { counter.pointee.load(ordering: .acquiring) }

  /// Counts the calling thread, which ends: its work is over, and waking the watchdog holds nobody up.
  func add() {
    let count = counter.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if count % Self.wakingCount == 0 { parker.alert() } else { parker.wakeIfParked() }
  }

  /// Subtracts loops that were released. Watchdog's thread only.
  func release(_ count: Int) { counter.pointee.wrappingSubtract(count, ordering: .acquiringAndReleasing) }
}
