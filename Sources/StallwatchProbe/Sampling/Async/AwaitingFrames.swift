#if os(Linux)
  import CStallwatch
  import StallwatchCore

  /// Adds to walks of stacks the functions that await those which Swift's runtime called. Used on one thread only.
  ///
  /// Where a compiled asynchronous function has its context: it gets it in a register, and keeps it below its frame record
  /// where it has an extended one (LLVM's X86FrameLowering.cpp). On Linux no bit in the saved frame pointer marks such a
  /// record, so that the function's first instructions show it.
  final class AwaitingFrames {
    private let images: ImageMap
    private let memory = MemoryWindow()
    @exclusivity(unchecked) private var runtime: ImageRecord?
    /// The runtime's code, whose calls walks have to note; empty where the process has no such library.
    @exclusivity(unchecked) private(set) var notedCode: Range<UInt64> = 0..<0
    /// What the runtime says of its tasks; nil where nothing that is known here.
    @exclusivity(unchecked) var layout: TaskLayout?
    /// By their first addresses: whether they are functions, and whether they have extended records.
    @exclusivity(unchecked) private var functions: [UInt64: Bool] = [:]
    @exclusivity(unchecked) private var extended: [UInt64: Bool] = [:]
    private static let mostKnown = 1_024

    /// The beginning of a function with an extended frame record:
    ///
    ///     push %rbp; push %r14; lea 8(%rsp), %rbp
    private static let prologue: [UInt8] = [0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08]
    /// How far from its beginning a function that has just been resumed may still hold the context of what it awaited.
    private static let beginning: UInt64 = 48

    init(_ images: ImageMap) { self.images = images }

    /// Notes that the map of images was read: checks the runtime if it is a new one.
    func imagesChanged() {
      functions.removeAll(keepingCapacity: true)
      extended.removeAll(keepingCapacity: true)
      let found = images.asyncRuntime
      guard found?.record != runtime else { return }
      stallwatch_begin_reading()
      defer { stallwatch_end_reading() }
      runtime = found?.record
      notedCode = found.map { $0.record.start..<$0.record.end } ?? 0..<0
      layout = found.flatMap { TaskLayout(code: notedCode, header: $0.header) }
    }

    /// Adds the functions that await the innermost asynchronous function of a walk, whose task the runtime serves; a mark
    /// where they are not found.
    func add(to walk: UnsafeMutablePointer<stallwatch_walk>) {
      let calls = (0..<Int(walk.pointee.call_count)).map(walk.call)
      guard !calls.isEmpty else { return }
      for call in calls {
        guard let chain = chain(of: call) else { continue }
        var frames = chain.functions
        // Where the leaf has just begun, that is the context of what it awaited.
        if call.frame == 0, frames.first == call.function, walk.leaf &- call.function < Self.beginning {
          frames.removeFirst()
        }
        // As if it were where the function will return to: callers' names are looked up one byte before that.
        frames = frames.map { $0 &+ 1 }
        if !chain.isWhole { frames.append(StackSample.unknownAwaiterMark) }
        return stallwatch_insert_frames(walk, call.frame, frames, UInt32(frames.count))
      }
      guard let call = calls.first(where: isOutside) else { return }
      stallwatch_insert_frames(walk, call.frame, [StackSample.unknownAwaiterMark], 1)
    }

    /// Whether the function that the runtime called is none of its own.
    private func isOutside(_ call: stallwatch_noted_call) -> Bool {
      call.function != 0 && !notedCode.contains(call.function)
    }

    /// Nil where the function that the runtime called is no asynchronous one, or its context is not known.
    private func chain(of call: stallwatch_noted_call) -> AwaitingFunctions.Chain? {
      guard let layout else { return nil }
      memory.forget()
      let finder = AwaitingFunctions(layout: layout, word: memory.word, isFunction: isFunction)
      if call.kept_context != 0, hasExtendedRecord(call.function) {
        let chain = finder.find(from: call.kept_context)
        if chain.isWhole || !chain.functions.isEmpty { return chain }
      }
      // A register may hold anything: only what leads to a task's end is one.
      guard call.register_context != 0, isOutside(call) else { return nil }
      let chain = finder.find(from: call.register_context)
      return chain.isWhole ? chain : nil
    }

    private func hasExtendedRecord(_ function: UInt64) -> Bool {
      guard function != 0 else { return false }
      if let known = extended[function] { return known }
      if extended.count >= Self.mostKnown { extended.removeAll() }
      let answer = SafeMemory.holds(Self.prologue, at: function)
      extended[function] = answer
      return answer
    }

    /// Not all of the runtime's functions have unwind tables.
    private func isFunction(_ address: UInt64) -> Bool {
      if let known = functions[address] { return known }
      if functions.count >= Self.mostKnown { functions.removeAll() }
      let answer =
        images.image(at: address) != nil
        && (hasExtendedRecord(address) || images.withCode(noting: 0..<0) { stallwatch_is_function($0, address) })
      functions[address] = answer
      return answer
    }
  }

  extension UnsafeMutablePointer<stallwatch_walk> {
    fileprivate var leaf: UInt64 { UnsafeRawPointer(self).assumingMemoryBound(to: UInt64.self)[0] }

    fileprivate func call(_ place: Int) -> stallwatch_noted_call {
      withUnsafeBytes(of: &pointee.calls) { $0.bindMemory(to: stallwatch_noted_call.self)[place] }
    }
  }
#endif
