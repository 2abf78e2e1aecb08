#if os(Linux)
  import CStallwatch

  /// Walks copies of stacks, with the image map that this needs. Belongs to one thread.
  final class StackWalker {
    let images = ImageMap()
    private let walker: OpaquePointer
    /// Where the stacks of blocked threads are copied to.
    private let copy: UnsafeMutableRawBufferPointer
    /// The leaf of a stack that led out of all known code even after the map was read anew.
    private var unknownLeaf: UInt64?

    /// A deep stack: 128 frames of 4 KB. Pages that are never needed are never backed.
    private static let largestCopy = 512 * 1_024
    /// What most stacks use; a larger copy is made only when the walk runs past its end.
    private static let usualCopy = 16 * 1_024

    /// Nil when there is no memory.
    init?() {
      guard let walker = stallwatch_walker_create() else { return nil }
      self.walker = walker
      copy = .allocate(byteCount: Self.largestCopy, alignment: 16)
      images.read()
    }

    deinit {
      stallwatch_walker_destroy(walker)
      copy.deallocate()
    }

    /// Walks the stack of a blocked thread. `isStill` tells whether it has not moved since `sight`, and is asked after each
    /// copying; nil when it has.
    func walk(_ sight: stallwatch_thread_sight, isStill: () -> Bool) -> stallwatch_walk? {
      let registers = stallwatch_registers_at(sight.program_counter, sight.stack_pointer)
      for size in [Self.usualCopy, Self.largestCopy] {
        let length = stallwatch_copy_memory(sight.stack_pointer, copy.baseAddress, size)
        guard isStill() else { return nil }
        let stack = stallwatch_stack_copy(
          start: sight.stack_pointer, length: length, bytes: copy.baseAddress?.assumingMemoryBound(to: UInt8.self))
        let walk = walk(registers, stack)
        if walk.ending != stallwatch_walk_beyond_copy || length < size || size == Self.largestCopy { return walk }
      }
      return nil
    }

    /// Walks a copied stack; reads the image map again when code was loaded or unloaded since.
    func walk(_ registers: stallwatch_registers, _ stack: stallwatch_stack_copy) -> stallwatch_walk {
      let walk = walkOnce(registers, stack)
      let isUnknown = walk.ending == stallwatch_walk_unknown_code && registers.program_counter != unknownLeaf
      guard isUnknown || !images.isCurrent(for: walk.addresses) else { return walk }
      images.read()
      stallwatch_walker_forget(walker)
      let again = walkOnce(registers, stack)
      // Code outside all mappings stays unknown: once is enough.
      unknownLeaf = again.ending == stallwatch_walk_unknown_code ? registers.program_counter : nil
      return again
    }

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
    fileprivate var addresses: [UInt64] {
      withUnsafeBytes(of: frames) { Array($0.bindMemory(to: UInt64.self).prefix(Int(count))) }
    }
  }
#endif
