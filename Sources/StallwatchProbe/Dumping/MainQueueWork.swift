#if os(Linux)
  /// Work in Dispatch's main queue of another process (`_dispatch_main_q`, a `dispatch_lane_s` of
  /// src/queue_internal.h of swift-corelibs-libdispatch). Nothing is believed unless the queue has its label.
  enum MainQueueWork {
    // Offsets in bytes in a queue.
    private static let last: UInt64 = 48
    private static let flags: UInt64 = 80
    /// Among the flags: one thread alone may serve it (DQF_THREAD_BOUND).
    private static let isBound: UInt32 = 0x4_0000
    private static let label = Array("com.apple.main-thread".utf8) + [0]

    /// Whether work waits that the main thread alone may serve, as long as it has not called dispatchMain(); nil where that
    /// cannot be seen, as where Dispatch is not a library of its own.
    static func waitsForMainThread(_ images: ImageMap) -> Bool? {
      guard let queue = images.address(of: "_dispatch_main_q", in: "libdispatch.so"),
        let label = SafeMemory.load(UInt64.self, at: queue &+ UInt64(DispatchQueueServer.label)),
        SafeMemory.holds(Self.label, at: label), let last = SafeMemory.load(UInt64.self, at: queue &+ Self.last),
        let flags = SafeMemory.load(UInt32.self, at: queue &+ Self.flags)
      else { return nil }
      return last != 0 && flags & isBound != 0
    }
  }
#endif
