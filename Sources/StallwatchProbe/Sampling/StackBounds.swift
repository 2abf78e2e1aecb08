#if os(Linux)
  import CStallwatch
  import StallwatchLibc

  /// Where the stacks of threads lie, so that their handlers can copy them without asking the kernel what is mapped.
  struct StackBounds {
    private struct Known {
      var threadPointer: UInt64
      /// Nil until asked for: a thread that is only looked at while blocked needs none.
      var bounds: stallwatch_stack_bounds?
      var soughtNs: UInt64 = 0
    }

    private var known: [UInt64: Known] = [:]

    /// The most threads kept; with more, all are looked up again.
    private static let mostThreads = 2_048
    /// How often to look again for a thread that stands on a stack other than its own, in nanoseconds.
    private static let seekInterval: UInt64 = 1_000_000_000

    /// A thread's stack, looked up at the first call; all 0 if not known.
    mutating func bounds(of threadID: UInt64) -> stallwatch_stack_bounds {
      let known = known[threadID]
      if let bounds = known?.bounds { return bounds }
      let found: stallwatch_stack_bounds?
      if threadID == UInt64(getpid()) {
        let stack = MemoryMapping.all().first { $0.path == Self.mainStack }
        found = stack.map { stallwatch_stack_bounds(low: $0.start, high: $0.end, thread_pointer: 0) }
      } else if let known {
        found = Self.bounds(below: known.threadPointer)
      } else {
        return stallwatch_stack_bounds()
      }
      let bounds = found ?? stallwatch_stack_bounds()
      remember(Known(threadPointer: known?.threadPointer ?? 0, bounds: bounds), of: threadID)
      return bounds
    }

    /// Notes the pointer to a thread's control block, by which its stack can be found.
    mutating func note(_ threadPointer: UInt64, of threadID: UInt64) {
      guard threadPointer != 0, threadID != UInt64(getpid()), known[threadID]?.threadPointer != threadPointer
      else { return }
      remember(Known(threadPointer: threadPointer), of: threadID)
    }

    /// Looks for the stack of a thread that answered from outside its known bounds. Returns whether it was found.
    mutating func seek(_ answer: stallwatch_answer, at now: UInt64) -> Bool {
      let threadID = answer.thread_id
      if let known = known[threadID], now < known.soughtNs + Self.seekInterval { return false }
      known[threadID] = threadID == UInt64(getpid()) ? nil : known[threadID]
      let bounds = threadID == UInt64(getpid()) ? bounds(of: threadID) : Self.bounds(below: answer.thread_pointer)
      remember(
        Known(threadPointer: answer.thread_pointer, bounds: bounds ?? stallwatch_stack_bounds(), soughtNs: now),
        of: threadID)
      return bounds.map { $0.low <= answer.stack.start && answer.stack.start < $0.high } ?? false
    }

    /// The main thread's stack is the only one that the kernel names.
    private static let mainStack = "[stack]"

    /// C libraries keep a thread's control block at the upper end of its stack's mapping.
    private static func bounds(below threadPointer: UInt64) -> stallwatch_stack_bounds? {
      guard threadPointer > 0 else { return nil }
      return MemoryMapping.bounds(around: threadPointer - 1).map {
        stallwatch_stack_bounds(low: $0.lowerBound, high: threadPointer, thread_pointer: threadPointer)
      }
    }

    /// Forgets an ended thread, whose number another may get.
    mutating func forget(_ threadID: UInt64) { known[threadID] = nil }

    private mutating func remember(_ thread: Known, of threadID: UInt64) {
      if known.count >= Self.mostThreads { known.removeAll() }
      known[threadID] = thread
    }
  }
#endif
