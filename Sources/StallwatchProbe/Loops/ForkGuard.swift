import StallwatchCore
import StallwatchLibc
import Synchronization

/// Silences the observers in a forked child, which has copies of them but no watchdog.
///
/// The regions lie in a table of fixed size, because the child may neither allocate nor take a lock.
enum ForkGuard {
  private static let count = Atomic<Int>(0)
  // Entries are written once, before `count` covers them, and never changed.
  nonisolated(unsafe) private static let regions: UnsafeMutablePointer<UnsafeMutableRawPointer?>? =
    ZeroedMemory.allocate(
      byteCount: capacity * MemoryLayout<UnsafeMutableRawPointer?>.stride
    )?.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: capacity)
  /// Twice what one monitor may take, because memory left over from a stopped monitor counts too.
  private static let capacity = 2 * (ProbeConfiguration.maximumLoops + ProbeConfiguration.maximumEndedLoops)

  private static let isInstalled: Bool = pthread_atfork(nil, nil) { silenceAll() } == 0

  /// Registers the region of a loop's memory. Once for each memory, because memory is used again but never given back.
  static func cover(_ region: LoopRegion) {
    guard isInstalled, let regions else { return }
    let place = count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    if place < capacity { regions[place] = region.memory }
  }

  /// Installs the fork handler, before the first loop is watched.
  static func install() { _ = isInstalled }

  /// Whether this process was forked from the one that installed the guard.
  static var isInChild: Bool { child.load(ordering: .relaxed) }
  private static let child = Atomic<Bool>(false)

  /// Runs in the child, on its only thread.
  private static func silenceAll() {
    child.store(true, ordering: .relaxed)
    guard let regions else { return }
    for index in 0..<min(count.load(ordering: .relaxed), capacity) {
      if let memory = regions[index] { LoopRegion(memory: memory).silence() }
    }
  }
}
