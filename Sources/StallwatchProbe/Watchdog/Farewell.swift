import StallwatchCore
import StallwatchLibc
import Synchronization

/// How a thread that is about to end or kill the process, or to make it another program, has the watchdog hand on all
/// records and waits for that.
///
/// The thread may be in a signal handler, amid anything: it takes no lock, allocates nothing, and never waits for ever.
enum Farewell {
  /// What is about to happen.
  enum Kind: UInt32, AtomicRepresentable {
    /// The process ends in order, or becomes another program.
    case end
    /// The process is killed.
    case death
  }

  /// The longest delay of a process's end: what stopping a monitor may take (2 s), and a little more.
  private static let patience: Nanoseconds = 2_500 * .millisecond
  private static let pauseMicroseconds: UInt32 = 200

  /// The address of the ``Parker`` of the watchdog that listens; 0 when none does.
  private static let listener = Atomic<UInt>(0)
  /// How many farewells were said, and how many of them the watchdog has answered.
  private static let said = Atomic<UInt32>(0)
  private static let answered = Atomic<UInt32>(0)
  /// When the last farewell was said, and of what kind.
  private static let lastSaid = Atomic<Nanoseconds>(0)
  private static let lastKind = Atomic<Kind>(.end)

  /// Makes the watchdog that sleeps at `parker` the listener if there is none: a process has one listener at a time.
  static func beHeard(at parker: Parker) {
    guard listener.load(ordering: .acquiring) == 0 else { return }
    // Farewells to a listener that has ended are not for this one: the process has lived on.
    answered.store(said.load(ordering: .acquiring), ordering: .releasing)
    _ = listener.compareExchange(expected: 0, desired: parker.address, ordering: .acquiringAndReleasing)
  }

  /// The watchdog that sleeps at `parker` no longer listens.
  static func beUnheard(at parker: Parker) {
    _ = listener.compareExchange(expected: parker.address, desired: 0, ordering: .acquiringAndReleasing)
  }

  /// Says a farewell, and returns when the watchdog has answered, when it no longer listens, or when `patience` is
  /// over. Called on a thread of the program.
  static func say(_ kind: Kind) {
    let address = listener.load(ordering: .acquiring)
    guard let parker = Parker(address: address), !ForkGuard.isInChild else { return }
    lastSaid.store(Platform.now(), ordering: .relaxed)
    lastKind.store(kind, ordering: .relaxed)
    let number = said.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    parker.alert()
    let deadline = Platform.now() + patience
    while listener.load(ordering: .acquiring) == address, answered.load(ordering: .acquiring) < number,
      Platform.now() < deadline
    {
      usleep(pauseMicroseconds)
    }
  }

  /// When the last farewell was said, and its kind. Watchdog's thread only, after ``unanswered``.
  static var saidNs: Nanoseconds { lastSaid.load(ordering: .relaxed) }
  static var kind: Kind { lastKind.load(ordering: .relaxed) }

  /// The number of the last farewell if it is unanswered, otherwise nil. Watchdog's thread only.
  static var unanswered: UInt32? {
    let number = said.load(ordering: .acquiring)
    return number != answered.load(ordering: .relaxed) ? number : nil
  }

  /// Answers all farewells up to `number`. Watchdog's thread only.
  static func answer(_ number: UInt32) { answered.store(number, ordering: .releasing) }
}
