import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a thread that is about to end the process, to kill it, or to make it another program, has the watchdog tell all there is to
/// tell, and waits for that.
///
/// The thread may be in a signal handler, in the middle of anything: it takes no lock, allocates nothing, and does not wait
/// for ever.
enum Farewell {
  /// What is about to happen.
  enum Kind: UInt32, AtomicRepresentable {
    /// The process ends in order, or becomes another program.
    case end
    /// It is killed.
    case death
  }

  /// The end of a process is held up no longer: it is what stopping a monitor may take (2 s), and a little.
  private static let patience: Nanoseconds = 2_500 * .millisecond
  private static let pauseMicroseconds: UInt32 = 200

  /// Where the watchdog sleeps that hears of the end; 0 when none does.
  private static let listener = Atomic<UInt>(0)
  /// How often it was said, and how many of these the watchdog is done with.
  private static let said = Atomic<UInt32>(0)
  private static let answered = Atomic<UInt32>(0)
  /// When it was last said.
  private static let lastSaid = Atomic<Nanoseconds>(0)
  private static let lastKind = Atomic<Kind>(.end)

  /// Has the watchdog that sleeps at `parker` told, unless another is: a process has one such watchdog at a time.
  static func beHeard(at parker: Parker) {
    guard listener.load(ordering: .acquiring) == 0 else { return }
    // What was said to one that has ended since is not for this one: the process has lived on.
    answered.store(said.load(ordering: .acquiring), ordering: .releasing)
    _ = listener.compareExchange(expected: 0, desired: parker.address, ordering: .acquiringAndReleasing)
  }

  /// The watchdog that sleeps at `parker` no longer hears of the end.
  static func beUnheard(at parker: Parker) {
    _ = listener.compareExchange(expected: parker.address, desired: 0, ordering: .acquiringAndReleasing)
  }

  /// Says it, and returns when the watchdog is done, when it listens no more, or when patience ends. On a thread of the
  /// program's.
  static func say(_ kind: Kind) {
    let address = listener.load(ordering: .acquiring)
    guard let parker = Parker(address: address), !ForkGuard.isInChild else { return }
    lastSaid.store(Platform.now(), ordering: .relaxed)
    lastKind.store(kind, ordering: .relaxed)
    let number = said.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    parker.tell()
    let deadline = Platform.now() + patience
    while listener.load(ordering: .acquiring) == address, answered.load(ordering: .acquiring) < number,
      Platform.now() < deadline
    {
      usleep(pauseMicroseconds)
    }
  }

  /// When something was last said, and what. The watchdog only, and after ``unanswered``.
  static var saidNs: Nanoseconds { lastSaid.load(ordering: .relaxed) }
  static var kind: Kind { lastKind.load(ordering: .relaxed) }

  /// What was said and not answered yet; nil when nothing was. The watchdog only.
  static var unanswered: UInt32? {
    let number = said.load(ordering: .acquiring)
    return number != answered.load(ordering: .relaxed) ? number : nil
  }

  /// The watchdog is done with everything up to `number`.
  static func answer(_ number: UInt32) { answered.store(number, ordering: .releasing) }
}
