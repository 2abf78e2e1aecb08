import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes observers do nothing in a forked child: it has copies of them, and no watchdog.
///
/// The boards lie in a table of fixed size, because the child may neither allocate nor take a lock.
enum ForkGuard {
  private static let count = Atomic<Int>(0)
  // Entries are written once, before `count` covers them, and never changed.
  nonisolated(unsafe) private static let boards: UnsafeMutablePointer<UnsafeMutableRawPointer?>? = ZeroedMemory.take(
    byteCount: capacity * MemoryLayout<UnsafeMutableRawPointer?>.stride
  )?.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: capacity)
  /// Twice what one monitor may take: memory left over from one that was stopped counts too.
  private static let capacity = 2 * (ProbeConfiguration.maximumLoops + ProbeConfiguration.maximumEndedLoops)

  private static let isInstalled: Bool = pthread_atfork(nil, nil) { silenceAll() } == 0

  /// Adds the board of a piece of memory, which is used again but never given back: so once for each.
  static func cover(_ board: LoopBoard) {
    guard isInstalled, let boards else { return }
    let place = count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    if place < capacity { boards[place] = board.memory }
  }

  /// Makes the guard work before the first loop is watched.
  static func install() { _ = isInstalled }

  /// Whether this process was forked from the one that installed the guard.
  static var isInChild: Bool { child.load(ordering: .relaxed) }
  private static let child = Atomic<Bool>(false)

  /// In the child, on its only thread.
  private static func silenceAll() {
    child.store(true, ordering: .relaxed)
    guard let boards else { return }
    for index in 0..<min(count.load(ordering: .relaxed), capacity) {
      if let memory = boards[index] { LoopBoard(memory: memory).silence() }
    }
  }
}
