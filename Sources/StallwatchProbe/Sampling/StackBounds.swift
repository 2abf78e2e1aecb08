#if os(Linux)
  import CStallwatch
  import Glibc

  /// Where the stacks of threads lie, so that their handlers can copy them without asking the kernel what is mapped.
  struct StackBounds {
    private struct Known {
      var threadPointer: UInt64
      /// Nil until somebody asks: a thread that is only looked at while it is blocked needs none.
      var bounds: stallwatch_stack_bounds?
      var soughtNs: UInt64 = 0
    }

    private var known: [UInt64: Known] = [:]

    /// Threads that are kept; those of a program that has had more are looked for again.
    private static let mostThreads = 2_048
    /// How often a thread is looked for again that stands on a stack which is not its own.
    private static let seekInterval: UInt64 = 1_000_000_000

    /// A thread's stack, which is looked for when it is first asked for; all 0 where it is not known.
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
      keep(Known(threadPointer: known?.threadPointer ?? 0, bounds: bounds), of: threadID)
      return bounds
    }

    /// Takes the pointer to a thread's control block, by which its stack can be found.
    mutating func note(_ threadPointer: UInt64, of threadID: UInt64) {
      guard threadPointer != 0, threadID != UInt64(getpid()), known[threadID]?.threadPointer != threadPointer
      else { return }
      keep(Known(threadPointer: threadPointer), of: threadID)
    }

    /// Looks for the stack of a thread that has answered from outside of what was known. Returns whether it was found.
    mutating func seek(_ answer: stallwatch_answer, at now: UInt64) -> Bool {
      let threadID = answer.thread_id
      if let known = known[threadID], now < known.soughtNs + Self.seekInterval { return false }
      known[threadID] = threadID == UInt64(getpid()) ? nil : known[threadID]
      let bounds = threadID == UInt64(getpid()) ? bounds(of: threadID) : Self.bounds(below: answer.thread_pointer)
      keep(
        Known(threadPointer: answer.thread_pointer, bounds: bounds ?? stallwatch_stack_bounds(), soughtNs: now),
        of: threadID)
      return bounds.map { $0.low <= answer.stack.start && answer.stack.start < $0.high } ?? false
    }

    /// The main thread's stack is the only one that the kernel names.
    private static let mainStack = "[stack]"

    /// The C libraries keep a thread's control block at the upper end of its stack's mapping.
    private static func bounds(below threadPointer: UInt64) -> stallwatch_stack_bounds? {
      guard threadPointer > 0 else { return nil }
      return MemoryMapping.bounds(around: threadPointer - 1).map {
        stallwatch_stack_bounds(low: $0.lowerBound, high: threadPointer, thread_pointer: threadPointer)
      }
    }

    /// A thread has ended: its number may become another's.
    mutating func forget(_ threadID: UInt64) { known[threadID] = nil }

    private mutating func keep(_ thread: Known, of threadID: UInt64) {
      if known.count >= Self.mostThreads { known.removeAll() }
      known[threadID] = thread
    }
  }
#endif
