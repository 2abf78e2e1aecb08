#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// Linux: what the kernel says of a thread in /proc, and a CPU-clock timer for those that run.
  final class LinuxThreadSampler: ThreadSampler {
    let configuration: SamplerConfiguration
    let images = ImageMap()
    var health = SamplerHealth()
    /// Requests that running threads have not answered yet, by thread.
    var requests: [UInt64: OpenRequest] = [:]
    /// Whether SIGPROF is ours.
    var signal = SignalUse()

    private let walker: OpaquePointer
    /// Where the stacks of blocked threads are copied to.
    private let copy: UnsafeMutableRawBufferPointer
    /// A deep stack: 128 frames of 4 KB. Pages that are never needed are never backed.
    private static let largestCopy = 512 * 1_024
    /// What most stacks use; a larger copy is made only when the walk runs past its end.
    private static let usualCopy = 16 * 1_024
    /// How often a thread that moves while it is being read is read again.
    private static let attempts = 3

    init?(_ configuration: SamplerConfiguration) {
      guard let walker = stallwatch_walker_create() else { return nil }
      self.configuration = configuration
      self.walker = walker
      copy = .allocate(byteCount: Self.largestCopy, alignment: 16)
      images.read()
    }

    deinit {
      stallwatch_walker_destroy(walker)
      copy.deallocate()
    }

    func capture(threadID: UInt64) -> CapturedStack? {
      let started = Platform.now()
      let startedCPU = stallwatch_thread_cpu(threadID)
      var moves = 0
      while true {
        let sight = stallwatch_look_at_thread(threadID)
        switch sight.state {
        case stallwatch_thread_blocked:
          if let captured = captureBlocked(threadID, sight) {
            withdraw(threadID: threadID)
            health.withoutSignal += 1
            return captured
          }
          moves += 1
          if moves < Self.attempts { continue }
        case stallwatch_thread_runnable: break
        case stallwatch_thread_gone:
          withdraw(threadID: threadID)
          health.gone += 1
          return nil
        default:
          health.hidden += 1
          return nil
        }
        switch askRunning(threadID, started: started) {
        case .answered(let captured):
          health.interrupted += 1
          return captured
        case .notYet: continue
        case .tooLate: health.unanswered += 1
        case .refused: health.refused += 1
        }
        let isRunning = signal.obstacle != nil || stallwatch_thread_cpu(threadID) > startedCPU
        return CapturedStack(
          threadID: threadID, atNs: Platform.now(), activity: isRunning ? .running : .starved, method: .notAtAll)
      }
    }

    func image(at address: UInt64) -> ImageRecord? { images.image(at: address) }

    /// Reads a blocked thread; nil when it has moved meanwhile.
    private func captureBlocked(_ threadID: UInt64, _ sight: stallwatch_thread_sight) -> CapturedStack? {
      let atNs = Platform.now()
      var sight = sight
      func copyStack(_ count: Int) -> stallwatch_stack_copy? {
        let length = stallwatch_copy_memory(sight.stack_pointer, copy.baseAddress, count)
        var again = stallwatch_look_at_thread(threadID)
        guard stallwatch_is_same_sight(&sight, &again) else { return nil }
        return stallwatch_stack_copy(
          start: sight.stack_pointer, length: length, bytes: copy.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
      guard let stack = copyStack(Self.usualCopy) else { return nil }
      let registers = stallwatch_registers_at(sight.program_counter, sight.stack_pointer)
      var walk = walk(registers, stack)
      if walk.ending == stallwatch_walk_beyond_copy, stack.length == Self.usualCopy {
        guard let whole = copyStack(Self.largestCopy) else { return nil }
        walk = self.walk(registers, whole)
      }
      var captured = CapturedStack(threadID: threadID, atNs: atNs, activity: .blocked, method: .withoutSignal)
      captured.take(walk)
      if sight.number >= 0 {
        captured.systemCall = SystemCall(
          number: Int(sight.number), arguments: withUnsafeBytes(of: sight.arguments) { Array($0.bindMemory(to: UInt64.self)) })
      }
      return captured
    }

    /// Walks a copied stack; reads the image map again when code was loaded or unloaded since.
    func walk(_ registers: stallwatch_registers, _ stack: stallwatch_stack_copy) -> stallwatch_walk {
      var walk = walkOnce(registers, stack)
      let frames = walk.addresses
      let isUnknown = walk.ending == stallwatch_walk_unknown_code && registers.program_counter != unknownCode
      if isUnknown || !images.isCurrent(for: frames) {
        images.read()
        stallwatch_walker_forget(walker)
        walk = walkOnce(registers, stack)
        // Code outside all mappings stays unknown: asked for once is enough.
        unknownCode = walk.ending == stallwatch_walk_unknown_code ? registers.program_counter : nil
      }
      return walk
    }

    private var unknownCode: UInt64?

    private func walkOnce(_ registers: stallwatch_registers, _ stack: stallwatch_stack_copy) -> stallwatch_walk {
      var registers = registers
      return images.code.withUnsafeBufferPointer { code in
        stallwatch_walk_stack(
          walker, &registers, stack, stallwatch_code_map(ranges: code.baseAddress, count: code.count))
      }
    }
  }

  extension CapturedStack {
    /// Takes a walk's frames.
    mutating func take(_ walk: stallwatch_walk) {
      frames = walk.addresses
      framesCut = Int(walk.cut)
      isComplete = walk.ending == stallwatch_walk_complete
    }
  }

  extension stallwatch_walk {
    /// The frames that were found.
    var addresses: [UInt64] {
      withUnsafeBytes(of: frames) { Array($0.bindMemory(to: UInt64.self).prefix(Int(count))) }
    }
  }
#endif
