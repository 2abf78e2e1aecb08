#if os(Linux)
  import CStallwatch

  /// Walks copies of stacks, and keeps the image map for that. Used on one thread only.
  final class StackWalker {
    let images = ImageMap()
    private let walker: OpaquePointer
    /// Receives copies of blocked threads' stacks.
    private let copy: UnsafeMutableRawBufferPointer
    /// The leaf of a stack that led out of all known code even after a fresh reading of the map.
    private var unknownLeaf: UInt64?
    /// The last stack whose images were found to be those in the map.
    private var checked: [UInt64] = []

    /// In bytes: a deep stack, 128 frames of 4 KB. Pages never used are never backed.
    private static let largestCopy = 512 * 1_024
    /// In bytes: what most stacks use. A larger copy is made only when the walk runs past its end.
    private static let usualCopy = 16 * 1_024
    /// In bytes: what the last walk of a blocked thread needed, and a little more. Stacks that are looked at one after
    /// the other are mostly one thread's, and a copy is dearer the more of it comes from another processor's cache.
    private var lastCopy = 16 * 1_024

    /// In bytes: the innermost functions of the next stack may need more.
    private static let spareCopy = 512

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

    /// Walks the stack of a blocked thread. `isStill` says whether it has not moved since `snapshot`, and is asked
    /// after each copy; nil when the thread has moved.
    func walk(_ snapshot: stallwatch_thread_snapshot, isStill: () -> Bool) -> stallwatch_walk? {
      let registers = stallwatch_registers_at(snapshot.program_counter, snapshot.stack_pointer)
      for size in [lastCopy, Self.usualCopy, Self.largestCopy] where size >= lastCopy {
        let length = stallwatch_copy_memory(snapshot.stack_pointer, copy.baseAddress, size)
        guard isStill() else { return nil }
        let stack = stallwatch_stack_copy(
          start: snapshot.stack_pointer, length: length, bytes: copy.baseAddress?.assumingMemoryBound(to: UInt8.self))
        let walk = walk(registers, stack)
        if walk.ending != stallwatch_walk_beyond_copy || length < size || size == Self.largestCopy {
          lastCopy = min(walk.needed + Self.spareCopy, Self.largestCopy)
          return walk
        }
      }
      return nil
    }

    /// Walks a copied stack; reads the image map again if code was loaded or unloaded since.
    func walk(_ registers: stallwatch_registers, _ stack: stallwatch_stack_copy) -> stallwatch_walk {
      let walk = walkOnce(registers, stack)
      let isUnknown = walk.ending == stallwatch_walk_unknown_code && registers.program_counter != unknownLeaf
      guard isUnknown || !isCurrent(walk.addresses) else { return walk }
      images.read()
      checked = []
      stallwatch_walker_forget(walker)
      let again = walkOnce(registers, stack)
      // Code outside all mappings stays unknown; one more reading is enough.
      unknownLeaf = again.ending == stallwatch_walk_unknown_code ? registers.program_counter : nil
      return again
    }

    /// Whether the images of these addresses are still those in the map. Code that stays on a stack is not unloaded, so
    /// the images of the same callers need no second check.
    private func isCurrent(_ addresses: [UInt64]) -> Bool {
      if addresses.count > 1, addresses.dropFirst() == checked.dropFirst(),
        images.areInOneImage(addresses[0], checked[0])
      {
        return true
      }
      guard images.isCurrent(for: addresses) else { return false }
      checked = addresses
      return true
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
    /// The frames found, innermost first.
    fileprivate var addresses: [UInt64] {
      withUnsafeBytes(of: frames) { Array($0.bindMemory(to: UInt64.self).prefix(Int(count))) }
    }
  }
#endif
