#if os(Linux)
  import CStallwatch
  import Glibc

  /// Where the stacks of threads lie, so that their handlers can copy them without asking the kernel what is mapped.
  struct StackBounds {
    private struct Known {
      var bounds: stallwatch_stack_bounds
      var soughtNs: UInt64
    }

    private var known: [UInt64: Known] = [:]

    /// Threads that are kept; those of a program that has had more are looked for again.
    private static let mostThreads = 2_048
    /// How often a thread is looked for again that stands on a stack which is not its own.
    private static let seekInterval: UInt64 = 1_000_000_000

    /// A thread's stack; all 0 where it is not known.
    mutating func bounds(of threadID: UInt64) -> stallwatch_stack_bounds {
      if let known = known[threadID] { return known.bounds }
      guard threadID == UInt64(getpid()) else { return stallwatch_stack_bounds() }
      let stack = MemoryMapping.all().first { $0.path == Self.mainStack }
      let bounds = stack.map { stallwatch_stack_bounds(low: $0.start, high: $0.end, thread_pointer: 0) }
      keep(bounds ?? stallwatch_stack_bounds(), of: threadID)
      return bounds ?? stallwatch_stack_bounds()
    }

    /// Looks for a thread's stack by the pointer to its control block, if it is another thread than was known by that number.
    mutating func note(_ threadPointer: UInt64, of threadID: UInt64) {
      guard threadPointer != 0, threadID != UInt64(getpid()), known[threadID]?.bounds.thread_pointer != threadPointer
      else { return }
      keep(Self.bounds(below: threadPointer) ?? stallwatch_stack_bounds(), of: threadID)
    }

    /// Looks for the stack of a thread that has answered from outside of what was known. Returns whether it was found.
    mutating func seek(_ answer: stallwatch_answer, at now: UInt64) -> Bool {
      let threadID = answer.thread_id
      if let known = known[threadID], now < known.soughtNs + Self.seekInterval { return false }
      known[threadID] = threadID == UInt64(getpid()) ? nil : known[threadID]
      let bounds = threadID == UInt64(getpid()) ? bounds(of: threadID) : Self.bounds(below: answer.thread_pointer)
      keep(bounds ?? stallwatch_stack_bounds(), of: threadID, soughtNs: now)
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

    private mutating func keep(_ bounds: stallwatch_stack_bounds, of threadID: UInt64, soughtNs: UInt64 = 0) {
      if known.count >= Self.mostThreads { known.removeAll() }
      known[threadID] = Known(bounds: bounds, soughtNs: soughtNs)
    }
  }
#endif
