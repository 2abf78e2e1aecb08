import StallwatchCore
import Synchronization

/// When the program waited for the monitor to come in: from its first run's call to the moment at which that run went on.
enum StartUp {
  private static let began = Atomic<Nanoseconds>(0)
  private static let ended = Atomic<Nanoseconds>(0)

  /// The program waits since `moment`; 0: it does not. Before a run can go on.
  static func begin(at moment: Nanoseconds) {
    ended.store(0, ordering: .relaxed)
    began.store(moment, ordering: .releasing)
  }

  /// The first run goes on now; a later one changes nothing. No allocation, no lock.
  static func end() {
    guard began.load(ordering: .acquiring) != 0, ended.load(ordering: .relaxed) == 0 else { return }
    _ = ended.compareExchange(expected: 0, desired: Platform.now(), ordering: .acquiringAndReleasing)
  }

  /// The interval, empty where there was none or it is not over.
  static var interval: Range<Nanoseconds> {
    let (start, end) = (began.load(ordering: .acquiring), ended.load(ordering: .acquiring))
    return start != 0 && start < end ? start..<end : 0..<0
  }
}
