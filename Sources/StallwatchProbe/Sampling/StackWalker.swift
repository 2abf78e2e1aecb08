#if os(Linux)
  import CStallwatch

  /// Walks copies of stacks, and keeps the image map for that. Used on one thread only.
  final class StackWalker {
    let images: ImageMap
    private let walker: OpaquePointer
    let awaiting: AwaitingFrames
    /// Receives copies of blocked threads' stacks.
    private let copy: UnsafeMutableRawBufferPointer
    /// The leaf of a stack that led out of all known code even after a fresh reading of the map.
    @exclusivity(unchecked) private var unknownLeaf: UInt64?
    /// The last stack whose images were found to be those in the map.
    @exclusivity(unchecked) private var checked: [UInt64] = []
    private let result = UnsafeMutablePointer<stallwatch_walk>.allocate(capacity: 1)

    /// What a walk found; the next walk overwrites it.
    typealias Walk = UnsafePointer<stallwatch_walk>

    /// In bytes: a deep stack, 128 frames of 4 KB. Pages never used are never backed.
    private static let largestCopy = 512 * 1_024
    /// In bytes: what most stacks use. A larger copy is made only when the walk runs past its end.
    private static let usualCopy = 16 * 1_024
    /// In bytes: what the last walk of a blocked thread needed, and a little more. Stacks that are looked at one after
    /// the other are mostly one thread's, and a copy is dearer the more of it comes from another processor's cache.
    @exclusivity(unchecked) private var lastCopy = 16 * 1_024

    /// In bytes: the innermost functions of the next stack may need more.
    private static let spareCopy = 512

    /// A walker for stacks of a process. For another one's, `SafeMemory` must read that one's memory meanwhile. Nil when
    /// there is no memory.
    init?(of process: ProcessFolder = .own) {
      guard let walker = stallwatch_walker_create() else { return nil }
      self.walker = walker
      images = ImageMap(of: process)
      awaiting = AwaitingFrames(images)
      copy = .allocate(byteCount: Self.largestCopy, alignment: 16)
      readImages()
    }

    /// Reads the map of images anew, for a process whose code may have changed.
    func readImages() {
      images.read()
      awaiting.imagesChanged()
    }

    deinit {
      stallwatch_walker_destroy(walker)
      copy.deallocate()
      result.deallocate()
    }

    /// Walks the stack of a blocked thread. `isStill` says whether it has not moved since `snapshot`, and is asked
    /// after each copy; nil when the thread has moved.
    func walk(
      _ snapshot: stallwatch_thread_snapshot, _ trail: UnsafeMutablePointer<stallwatch_trail>?, isStill: () -> Bool
    ) -> Walk? {
      let registers = stallwatch_registers_at(snapshot.program_counter, snapshot.stack_pointer)
      var size = lastCopy
      while true {
        let length = stallwatch_copy_memory(snapshot.stack_pointer, copy.baseAddress, size)
        guard isStill() else { return nil }
        let stack = stallwatch_stack_copy(
          start: snapshot.stack_pointer, length: length, bytes: copy.baseAddress?.assumingMemoryBound(to: UInt8.self))
        walkCurrent(registers, stack, trail)
        if result.pointee.ending != stallwatch_walk_beyond_copy || length < size || size == Self.largestCopy {
          lastCopy = min(result.pointee.needed + Self.spareCopy, Self.largestCopy)
          guard result.pointee.call_count > 0 else { return Walk(result) }
          awaiting.add(to: result)
          return isStill() ? Walk(result) : nil
        }
        size = size < Self.usualCopy ? Self.usualCopy : Self.largestCopy
      }
    }

    /// Whether the stack of a blocked thread still reads as at the walk that left the trail.
    func isOn(_ trail: UnsafeMutablePointer<stallwatch_trail>, _ snapshot: stallwatch_thread_snapshot) -> Bool {
      stallwatch_is_on_trail(
        trail, snapshot.program_counter, snapshot.stack_pointer, copy.baseAddress?.assumingMemoryBound(to: UInt8.self),
        copy.count)
    }

    /// Walks a copied stack of a thread that runs. What awaits its functions is read now, and may have changed since the
    /// stack was copied.
    func walk(
      _ registers: stallwatch_registers, _ stack: stallwatch_stack_copy,
      _ trail: UnsafeMutablePointer<stallwatch_trail>?
    ) -> Walk {
      walkCurrent(registers, stack, trail)
      awaiting.add(to: result)
      return Walk(result)
    }

    /// Walks a copied stack; reads the image map again if code was loaded or unloaded since.
    private func walkCurrent(
      _ registers: stallwatch_registers, _ stack: stallwatch_stack_copy,
      _ trail: UnsafeMutablePointer<stallwatch_trail>?
    ) {
      walkOnce(registers, stack, trail)
      let isUnknown =
        result.pointee.ending == stallwatch_walk_unknown_code && registers.program_counter != unknownLeaf
      guard isUnknown || !isCurrent(result.addresses) else { return }
      readImages()
      checked = []
      stallwatch_walker_forget(walker)
      walkOnce(registers, stack, trail)
      // Code outside all mappings stays unknown; one more reading is enough.
      unknownLeaf = result.pointee.ending == stallwatch_walk_unknown_code ? registers.program_counter : nil
    }

    /// Whether the images of these addresses are still those in the map. Code that stays on a stack is not unloaded, so
    /// the images of the same callers need no second check.
    private func isCurrent(_ addresses: UnsafeBufferPointer<UInt64>) -> Bool {
      if addresses.count > 1, addresses.count == checked.count,
        (1..<addresses.count).allSatisfy({ addresses[$0] == checked[$0] }),
        addresses[0] == checked[0] || images.areInOneImage(addresses[0], checked[0])
      {
        return true
      }
      guard images.isCurrent(for: addresses) else { return false }
      checked = Array(addresses)
      return true
    }

    private func walkOnce(
      _ registers: stallwatch_registers, _ stack: stallwatch_stack_copy,
      _ trail: UnsafeMutablePointer<stallwatch_trail>?
    ) {
      withUnsafePointer(to: registers) { registers in
        images.withCode(noting: awaiting.notedCode) {
          stallwatch_walk_stack(walker, registers, stack, $0, trail, result)
        }
      }
    }
  }

  extension CapturedStack {
    /// Takes a walk's frames.
    /// If they are those of an earlier look, `known`, takes its array.
    mutating func take(_ walk: StackWalker.Walk, like known: [UInt64]?) {
      let addresses = walk.addresses
      if let known, known.count == addresses.count, addresses.indices.allSatisfy({ known[$0] == addresses[$0] }) {
        frames = known
      } else {
        frames = Array(addresses)
      }
      framesCut = Int(walk.pointee.cut)
      isComplete = walk.pointee.ending == stallwatch_walk_complete
    }
  }

  extension UnsafePointer<stallwatch_walk> {
    /// The frames found, innermost first.
    fileprivate var addresses: UnsafeBufferPointer<UInt64> {
      UnsafeBufferPointer(start: UnsafeRawPointer(self).assumingMemoryBound(to: UInt64.self), count: Int(pointee.count))
    }
  }

  extension UnsafeMutablePointer<stallwatch_walk> {
    fileprivate var addresses: UnsafeBufferPointer<UInt64> { UnsafePointer(self).addresses }
  }
#endif
