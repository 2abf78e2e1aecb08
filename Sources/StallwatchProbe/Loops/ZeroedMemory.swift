import StallwatchLibc
import Synchronization

/// Memory that a watched thread writes and the watchdog reads: zeroed, backed page by page as it is touched, never
/// moved and never unmapped, because a removed observer may still be in its callback.
///
/// It is cut from blocks of address space. A mapping for each loop would lock the process's address space each time,
/// and threads that begin together would wait for each other, some of them inside CoreFoundation with its lock held.
enum ZeroedMemory {
  /// Allocates `byteCount` bytes, aligned to a page; nil when there is no address space left. Any thread: it waits for
  /// no other thread, and makes system calls only when the block that ``prepare()`` keeps ready is used up.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer? {
    let bytes = UInt(pages(byteCount))
    // A large piece would waste the rest of a block.
    guard bytes <= blockSize / 8 else { return map(byteCount) }
    while true {
      let place = next.load(ordering: .acquiring)
      if free(after: place) >= bytes {
        if advance(from: place, to: place + bytes) { return UnsafeMutableRawPointer(bitPattern: place) }
      } else if let ready = spare(after: place) {
        if advance(from: place, to: ready + bytes) { return UnsafeMutableRawPointer(bitPattern: ready) }
      } else {
        guard let block = mapBlock() else { return map(byteCount) }
        if advance(from: place, to: block + bytes) { return UnsafeMutableRawPointer(bitPattern: block) }
        unmap(block)
      }
    }
  }

  /// Maps another block once half of the current one is used, so that threads that begin together do not have to. Any
  /// thread that is not watched.
  static func prepare() {
    let place = next.load(ordering: .acquiring)
    guard free(after: place) < blockSize / 2, spare(after: place) == nil, let block = mapBlock() else { return }
    let isKept = spare.compareExchange(expected: 0, desired: block, ordering: .acquiringAndReleasing).exchanged
    if !isKept { unmap(block) }
  }

  /// Gives back the pages behind memory that holds nothing but zeros, at `memory` as it was allocated, where the system
  /// zeroes them again at the next touch. So a late access is harmless. Any thread that is not watched.
  static func giveBack(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    #if canImport(Glibc)
      madvise(memory, byteCount, MADV_DONTNEED)
    #endif
  }

  /// In bytes: room for nearly four hundred loops, as address space until it is touched. A power of two.
  private static let blockSize: UInt = 128 << 20
  /// 16 KiB are whole pages on every system.
  static let pageSize = 16_384

  /// So many bytes, rounded up to whole pages.
  static func pages(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) & ~(pageSize - 1) }

  /// The next free address in the current block; the block's end when it is full, 0 before the first block.
  private static let next = Atomic<UInt>(0)
  /// A block ready to be the next. It stays here until a thread finds that it has become the current one.
  private static let spare = Atomic<UInt>(0)

  private static func advance(from place: UInt, to other: UInt) -> Bool {
    next.compareExchange(expected: place, desired: other, ordering: .acquiringAndReleasing).exchanged
  }

  private static func free(after place: UInt) -> UInt { (0 &- place) & (blockSize - 1) }

  /// The spare block, unless it has become the current one. No third block can come into use meanwhile without changing
  /// `next`, which every caller compares.
  private static func spare(after place: UInt) -> UInt? {
    let ready = spare.load(ordering: .acquiring)
    guard ready != 0 else { return nil }
    guard place != 0, ready == (place - 1) & ~(blockSize - 1) else { return ready }
    _ = spare.compareExchange(expected: ready, desired: 0, ordering: .acquiringAndReleasing)
    return nil
  }

  /// A block that begins at a multiple of its size. Nil where address space is limited: the program needs what it has.
  private static func mapBlock() -> UInt? {
    var limit = rlimit()
    guard getrlimit(addressSpace, &limit) == 0, limit.rlim_cur == noLimit else { return nil }
    guard let memory = map(Int(2 * blockSize)) else { return nil }
    let begin = UInt(bitPattern: memory)
    let block = (begin + blockSize - 1) & ~(blockSize - 1)
    if block > begin { munmap(memory, Int(block - begin)) }
    munmap(UnsafeMutableRawPointer(bitPattern: block + blockSize), Int(begin + blockSize - block))
    #if canImport(Glibc)
      // A huge page would back memory for loops that do not exist.
      madvise(UnsafeMutableRawPointer(bitPattern: block), Int(blockSize), MADV_NOHUGEPAGE)
    #endif
    return block
  }

  private static func unmap(_ block: UInt) { munmap(UnsafeMutableRawPointer(bitPattern: block), Int(blockSize)) }

  private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | mapAnonymous, -1, 0)
    return memory == MAP_FAILED ? nil : memory
  }

  #if canImport(Glibc)
    private static let mapAnonymous = MAP_ANONYMOUS
    private static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
    private static let noLimit = rlim_t.max
  #else
    private static let mapAnonymous = MAP_ANON
    private static let addressSpace = RLIMIT_AS
    private static let noLimit = RLIM_INFINITY
  #endif
}
