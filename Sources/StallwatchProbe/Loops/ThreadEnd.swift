import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sees the thread of a watched loop end, through the destructor of a thread-specific value. Lies in the loop's
/// memory. A thread has one under each monitor that watches it; they form a list.
struct ThreadEnd {
  /// The loop that the memory serves, held until its thread ends: that may be long after watching has stopped.
  var watched: Unmanaged<WatchedLoop>?
  /// The one that the thread has under another monitor. The thread's own.
  private var next: UnsafeMutablePointer<ThreadEnd>?
  let ended: EndedThreads

  init(ended: EndedThreads) { self.ended = ended }

  /// The key, or nil when the process has none left: then a loop's end is seen only when watching stops.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // The destructor runs on the ending thread, after its last run loop has returned.
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      var end: UnsafeMutablePointer<ThreadEnd>? = memory.assumingMemoryBound(to: ThreadEnd.self)
      while let current = end {
        // Read before: from then on the memory may serve another loop.
        end = current.pointee.next
        tell(current)
      }
    }
    return failed == 0 ? key : nil
  }()

  /// Makes the key, so that ``watch(_:)`` need not do so on a watched thread.
  static func prepare() { _ = key }

  /// Sets the calling thread's value. No allocation where the key is among the first 32.
  static func watch(_ end: UnsafeMutablePointer<ThreadEnd>) {
    guard let key else { return }
    end.pointee.next = pthread_getspecific(key)?.assumingMemoryBound(to: ThreadEnd.self)
    pthread_setspecific(key, end)
  }

  /// On the ending thread: gives its loop back, so that CF frees it as it would without us, and leaves the rest to the
  /// watchdog.
  private static func tell(_ end: UnsafeMutablePointer<ThreadEnd>) {
    guard let watched = end.pointee.watched else { return }
    end.pointee.watched = nil
    let ended = end.pointee.ended
    let loop = watched.takeRetainedValue()
    loop.leaveIfFree()
    // From here on the memory may serve another loop.
    loop.memory.board.endThread(at: Platform.now())
    ended.add()
  }
}

/// How many threads have ended whose loops were not released yet. In memory that never moves.
struct EndedThreads: @unchecked Sendable {
  private let counter: UnsafeMutablePointer<Atomic<Int>>
  private let parker: Parker

  /// At every so many the watchdog is woken: often enough that not much memory waits for it, and seldom enough that
  /// waking it is nothing beside the ending of as many threads.
  private static let wakingCount = 64

  /// Memory is taken once and never given back: a thread may end at any time. Nil when there is none.
  init?(parker: Parker) {
    guard let memory = ZeroedMemory.take(byteCount: MemoryLayout<Int>.size) else { return nil }
    counter = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    self.parker = parker
  }

  var count: Int { counter.pointee.load(ordering: .acquiring) }

  /// One more, on its own thread: its work is over, and a wake-up of the watchdog holds nobody up.
  func add() {
    let count = counter.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if count % Self.wakingCount == 0 { parker.tell() } else { parker.wakeIfParked() }
  }

  /// That many were released. The watchdog.
  func release(_ count: Int) { counter.pointee.wrappingSubtract(count, ordering: .acquiringAndReleasing) }
}
