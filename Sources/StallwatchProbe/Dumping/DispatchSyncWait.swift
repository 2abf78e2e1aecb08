#if os(Linux)
  import StallwatchCore

  /// A thread's wait for a dispatch queue in `sync`: the queue, and the thread that serves it.
  ///
  /// libdispatch keeps such a wait on the waiting thread's stack, as a continuation that ends in the futex on which the
  /// thread waits (`dispatch_sync_context_s`, src/queue_internal.h of swift-corelibs-libdispatch). Nothing is taken from it
  /// unless two marks are right: it points to itself, and names the thread that waits.
  struct DispatchSyncWait {
    /// The number of the thread that serves the queue, as the process knows it.
    var server: UInt64
    /// The queue's label; nil where it has none.
    var label: String?

    /// Offsets in bytes from the futex word (`dsc_event`).
    private enum Context {
      static let start: Int64 = -96
      /// `dc_ctxt`, which points to the start.
      static let itself: Int64 = -56
      /// `dc_other`, the queue.
      static let queue: Int64 = -40
      /// `dsc_waiter`.
      static let waiter: Int64 = 4
    }

    private static let longestLabel = 256

    /// Reads the wait of `waiter`, by the process's own number, for the futex at `address`. Nil if it is no such wait, or
    /// no thread serves the queue.
    init?(futex address: UInt64, waiter: UInt64) {
      guard Self.word(address, Context.itself) == Self.place(address, Context.start),
        SafeMemory.load(UInt32.self, at: Self.place(address, Context.waiter)).map(UInt64.init) == waiter,
        // Past a queue that the thread has got already: it waits for the one that this one targets.
        let queue = Self.word(address, Context.queue),
        let found = DispatchQueueServer.find(at: queue, waiter: waiter, word: Self.word)
      else { return nil }
      server = found.server
      label = Self.word(found.queue, DispatchQueueServer.label).flatMap(Self.text)
    }

    private static func place(_ address: UInt64, _ offset: Int64) -> UInt64 {
      address &+ UInt64(bitPattern: offset)
    }

    private static func word(_ address: UInt64, _ offset: Int64) -> UInt64? {
      SafeMemory.load(UInt64.self, at: place(address, offset))
    }

    private static func text(at address: UInt64) -> String? {
      let bytes = SafeMemory.bytes(at: address, count: longestLabel)
      guard let end = bytes.firstIndex(of: 0), end > 0 else { return nil }
      return String(decoding: bytes[..<end], as: UTF8.self)
    }
  }
#endif
