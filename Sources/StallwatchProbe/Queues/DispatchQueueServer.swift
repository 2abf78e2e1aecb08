import StallwatchCore
import Synchronization

/// The thread that serves a queue of Dispatch's, as the queue itself says while it does (`dispatch_queue_s`,
/// src/queue_internal.h of swift-corelibs-libdispatch).
enum DispatchQueueServer {
  // Offsets in bytes in a queue.
  private static let target: Int64 = 24
  private static let state: Int64 = 56
  static let label: Int64 = 72
  /// The bits of a queue's state that number the thread that serves it (DLOCK_OWNER_MASK, which is the kernel's
  /// FUTEX_TID_MASK).
  private static let serverMask: UInt64 = 0x3fff_ffff
  /// How many queues target each other at most, in programs of use.
  private static let deepestHierarchy = 16

  /// Whether a serial queue named the right thread when it served an item. Nothing is believed otherwise: another
  /// libdispatch may have its words elsewhere.
  private static let proof = Atomic<UInt8>(Proof.none)
  private enum Proof {
    static let none: UInt8 = 0
    static let right: UInt8 = 1
    static let wrong: UInt8 = 2
  }
  static var isProven: Bool { proof.load(ordering: .relaxed) == Proof.right }

  /// How often queues were asked that may be concurrent, and the most that are: each takes system calls of a watched thread.
  private static let guesses = Atomic<Int>(0)
  private static let mostGuesses = 4

  /// Compares what a queue says with the calling thread, which has that number and serves it now. A queue that may be
  /// concurrent, and then names no thread, counts only if it names the right one. Takes some system calls for the first
  /// serial queue of a process, and for at most four others before it; later one load.
  @inline(__always)
  static func prove(by queue: UInt64, servedBy thread: UInt64, isSerial: Bool) {
    if proof.load(ordering: .relaxed) == Proof.none { proveOnce(by: queue, servedBy: thread, isSerial) }
  }

  @inline(never)
  private static func proveOnce(by queue: UInt64, servedBy thread: UInt64, _ isSerial: Bool) {
    if !isSerial, guesses.wrappingAdd(1, ordering: .relaxed).oldValue >= mostGuesses { return }
    if self.thread(serving: queue) == thread {
      proof.store(Proof.right, ordering: .relaxed)
    } else if isSerial {
      proof.store(Proof.wrong, ordering: .relaxed)
    }
  }

  /// The thread of this process that serves the queue at an address, or one that it targets; nil where none does. Passes
  /// over queues that `waiter` serves.
  static func thread(serving queue: UInt64, waiter: UInt64 = 0) -> UInt64? {
    #if os(Linux)
      find(at: queue, waiter: waiter) { SafeMemory.load(UInt64.self, at: $0 &+ UInt64(bitPattern: $1)) }?.server
    #else
      nil
    #endif
  }

  /// The thread that serves the queue at an address, or else one that it targets, and which of them; `word` reads a word of
  /// the process at an address and an offset. Passes over queues that `waiter` serves. Nil if no other thread serves any.
  static func find(
    at address: UInt64, waiter: UInt64 = 0, word: (_ address: UInt64, _ offset: Int64) -> UInt64?
  ) -> (server: UInt64, queue: UInt64)? {
    var queue: UInt64? = address
    for _ in 0..<deepestHierarchy {
      guard let found = queue, found != 0, let state = word(found, Self.state) else { return nil }
      let server = state & serverMask
      guard server == 0 || server == waiter else { return (server, found) }
      queue = word(found, target)
    }
    return nil
  }
}
