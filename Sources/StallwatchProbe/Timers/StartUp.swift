import StallwatchCore
import Synchronization

/// When the program waited for the monitor to load: from its first run's call until that run continued. Any thread.
enum StartUp {
  private static let began = Atomic<Nanoseconds>(0)
  private static let ended = Atomic<Nanoseconds>(0)

  /// Notes that the program waits since `moment`; 0: it does not. Called before a run can continue.
  static func begin(at moment: Nanoseconds) {
    ended.store(0, ordering: .relaxed)
    began.store(moment, ordering: .releasing)
  }

  /// Notes that the first run continues; a later call changes nothing. No allocation, no lock.
  static func end() {
    guard began.load(ordering: .acquiring) != 0, ended.load(ordering: .relaxed) == 0 else { return }
    _ = ended.compareExchange(expected: 0, desired: Platform.now(), ordering: .acquiringAndReleasing)
  }

  /// The interval; empty if there was none, or it is not over.
  static var interval: Range<Nanoseconds> {
    let (start, end) = (began.load(ordering: .acquiring), ended.load(ordering: .acquiring))
    return start != 0 && start < end ? start..<end : 0..<0
  }
}
