#if canImport(Darwin)
  import Darwin
  import StallwatchCore

  /// Apple's systems: suspends the thread while its registers and its stack are copied. Written after the
  /// documentation; never run.
  ///
  /// It does not say what a thread is blocked on, because the kernel does not.
  final class AppleThreadSampler: ThreadSampler {
    private(set) var health = SamplerHealth()
    private let images = AppleImageMap()
    /// Allocated beforehand: the suspended thread may hold malloc's lock.
    private let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1_024, alignment: 16)
    private static let maximumFrames = 128

    deinit { copy.deallocate() }

    func capture(threadID: UInt64) -> CapturedStack? {
      guard let thread = Self.port(of: threadID) else {
        health.gone += 1
        return nil
      }
      defer { mach_port_deallocate(mach_task_self_, thread) }
      guard let isWaiting = Self.isWaiting(thread) else {
        health.gone += 1
        return nil
      }
      let atNs = Platform.now()
      guard thread_suspend(thread) == KERN_SUCCESS else {
        health.hidden += 1
        return nil
      }
      // From here to thread_resume nothing may allocate or take a lock.
      let registers = Registers(of: thread)
      var length = 0
      if let registers { length = copyStack(from: registers.stackPointer) }
      thread_resume(thread)
      let pause = Platform.now().since(atNs)

      var captured = CapturedStack(
        threadID: threadID, atNs: atNs, activity: isWaiting ? .blocked : .running, method: .interrupted)
      captured.pause = pause
      guard let registers else {
        captured.method = .notAtAll
        health.hidden += 1
        return captured
      }
      health.interrupted += 1
      walk(registers, length: length, isWaiting: isWaiting, into: &captured)
      return captured
    }

    func withdraw(threadID: UInt64) {}

    func image(at address: UInt64) -> ImageRecord? { images.image(at: address) }

    func stop() {}

    /// Follows frame pointers only; Apple's calling conventions demand them. A waiting thread stands in a stub without
    /// a frame of its own, so its caller is in the link register or on top of the stack.
    private func walk(_ registers: Registers, length: Int, isWaiting: Bool, into captured: inout CapturedStack) {
      captured.frames = [registers.programCounter]
      func word(at address: UInt64) -> UInt64? {
        guard address >= registers.stackPointer, address % 8 == 0, address - registers.stackPointer < UInt64(length),
          UInt64(length) - (address - registers.stackPointer) >= 8
        else { return nil }
        return copy.load(fromByteOffset: Int(address - registers.stackPointer), as: UInt64.self)
      }
      func add(_ address: UInt64) {
        if captured.frames.count < Self.maximumFrames {
          captured.frames.append(address)
        } else {
          captured.framesCut += 1
        }
      }
      if isWaiting, let caller = registers.link ?? word(at: registers.stackPointer), caller != 0 {
        add(Registers.plain(caller))
      }
      var frame = registers.framePointer
      while let next = word(at: frame), let caller = word(at: frame &+ 8), caller != 0 {
        add(Registers.plain(caller))
        if next == 0 {
          captured.isComplete = true
          return
        }
        guard next > frame else { return }
        frame = next
      }
    }

    /// Copies page by page until a page cannot be read; returns the number of bytes.
    private func copyStack(from stackPointer: UInt64) -> Int {
      let page = UInt64(vm_page_size)
      var copied = 0
      while copied < copy.count {
        let from = stackPointer + UInt64(copied)
        let size = min(Int(page - from % page), copy.count - copied)
        var got: vm_size_t = 0
        let into = vm_address_t(UInt(bitPattern: copy.baseAddress! + copied))
        guard vm_read_overwrite(mach_task_self_, vm_address_t(from), vm_size_t(size), into, &got) == KERN_SUCCESS else {
          break
        }
        copied += size
      }
      return copied
    }

    /// A thread's port, which the caller deallocates; nil when there is no such thread.
    private static func port(of threadID: UInt64) -> thread_act_t? {
      var list: thread_act_array_t?
      var count: mach_msg_type_number_t = 0
      guard task_threads(mach_task_self_, &list, &count) == KERN_SUCCESS, let list else { return nil }
      var found: thread_act_t?
      for index in 0..<Int(count) {
        if found == nil, number(of: list[index]) == threadID {
          found = list[index]
        } else {
          mach_port_deallocate(mach_task_self_, list[index])
        }
      }
      let size = vm_size_t(Int(count) * MemoryLayout<thread_act_t>.stride)
      vm_deallocate(mach_task_self_, vm_address_t(UInt(bitPattern: list)), size)
      return found
    }

    private static func number(of thread: thread_act_t) -> UInt64? {
      var info = thread_identifier_info_data_t()
      var count = mach_msg_type_number_t(MemoryLayout.size(ofValue: info) / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &info) {
        $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          thread_info(thread, thread_flavor_t(THREAD_IDENTIFIER_INFO), $0, &count)
        }
      }
      return result == KERN_SUCCESS ? info.thread_id : nil
    }

    private static func isWaiting(_ thread: thread_act_t) -> Bool? {
      var info = thread_basic_info_data_t()
      var count = mach_msg_type_number_t(MemoryLayout.size(ofValue: info) / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &info) {
        $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          thread_info(thread, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
        }
      }
      guard result == KERN_SUCCESS else { return nil }
      return info.run_state == TH_STATE_WAITING || info.run_state == TH_STATE_UNINTERRUPTIBLE
    }
  }

  /// The registers of a suspended thread that a walk needs.
  private struct Registers {
    var programCounter: UInt64
    var stackPointer: UInt64
    var framePointer: UInt64
    /// The link register; nil where the processor has none.
    var link: UInt64?

    init?(of thread: thread_act_t) {
      #if arch(arm64)
        var state = arm_thread_state64_t()
        let flavor = thread_state_flavor_t(ARM_THREAD_STATE64)
      #else
        var state = x86_thread_state64_t()
        let flavor = thread_state_flavor_t(x86_THREAD_STATE64)
      #endif
      var count = mach_msg_type_number_t(MemoryLayout.size(ofValue: state) / MemoryLayout<natural_t>.size)
      let result = withUnsafeMutablePointer(to: &state) {
        $0.withMemoryRebound(to: natural_t.self, capacity: Int(count)) { thread_get_state(thread, flavor, $0, &count) }
      }
      guard result == KERN_SUCCESS else { return nil }
      #if arch(arm64)
        programCounter = Self.plain(state.__pc)
        stackPointer = state.__sp
        framePointer = state.__fp
        link = state.__lr
      #else
        programCounter = state.__rip
        stackPointer = state.__rsp
        framePointer = state.__rbp
      #endif
    }

    /// Drops the signature that arm64 processors may put into an address's upper bits; programs use 47 bits.
    static func plain(_ address: UInt64) -> UInt64 { address & (1 << 47 - 1) }
  }
#endif
