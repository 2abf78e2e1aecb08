import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// Watches the run loops of this process and hands what it sees to a recorder.
///
/// All methods may be called from any thread. On a watched thread nothing of it runs but the observers.
public final class Probe: Sendable {
  private enum Life {
    case new
    case running(WatchdogThread, HookSights?)
    case stopped
  }

  /// How long stopping waits for the watchdog. It takes milliseconds, unless the program holds what the watchdog needs.
  static let stopPatience = 2 * Nanoseconds.second

  private let configuration: ProbeConfiguration
  private let parker: Parker
  private let clock: CounterClock
  private let registry: LoopRegistry
  private let recorder: any Recorder
  private let life = Mutex(Life.new)
  private let watchdog = Mutex<Watchdog?>(nil)
  private let timers: TimerTable?
  private let timerNames = TimerNames()

  /// A probe that is not running yet. Throws ``ProbeError/noResources(_:)``.
  public init(configuration: ProbeConfiguration, recorder: any Recorder) throws {
    guard let parker = Parker(), let clock = CounterClock(),
      let registry = LoopRegistry(configuration: configuration, parker: parker, clock: clock)
    else { throw ProbeError.noResources("address space") }
    self.configuration = configuration
    self.parker = parker
    self.clock = clock
    self.recorder = recorder
    timers = TimerTable()
    self.registry = registry
  }

  /// Starts the watchdog and listens to hooks where they are in the process. Throws ``ProbeError``.
  ///
  /// - Parameters:
  ///   - annotations: What the program says of itself now; asked on the watchdog's thread when a stall begins.
  ///   - otherCPU: CPU time of the recorder's own threads so far, to be told as part of the monitor's cost.
  ///   - lastWords: Called on the watchdog's thread when the process is about to end without its exit handlers, or
  ///     to become another program, at the given moment, or to be killed by abort() (nil); all there is to tell has been
  ///     handed on. It should return when that is written. Known where hooks are preloaded.
  public func start(
    annotations: @escaping @Sendable () -> [String: String] = { [:] },
    otherCPU: @escaping @Sendable () -> Nanoseconds = { 0 },
    lastWords: @escaping @Sendable (Nanoseconds?) -> Void = { _ in }
  ) throws {
    try life.withLock { life in
      guard case .new = life else { throw ProbeError.usedBefore }
      ThreadEnd.prepare()
      ForkGuard.install()
      TimerLayout.find()
      StartUp.begin(at: configuration.startUpNs)
      let sights =
        !configuration.usesHooks
        ? nil : HookSights(registry: registry, watchesEveryLoop: configuration.watchesEveryLoop, timers: timers)
      let watchdog = Watchdog(
        registry: registry, parker: parker, clock: clock, recorder: recorder, configuration: configuration,
        seesEveryMode: sights?.areProven ?? false, hasHooks: sights != nil, annotations: annotations,
        otherCPU: otherCPU, lastWords: lastWords,
        ledger: timers.map { TimerLedger(table: $0, names: timerNames) })
      guard let thread = WatchdogThread(name: "stallwatch", { watchdog.run() }) else {
        sights?.stop()
        throw ProbeError.noResources("thread")
      }
      if sights != nil { Farewell.beHeard(at: parker) }
      self.watchdog.withLock { $0 = watchdog }
      life = .running(thread, sights)
    }
  }

  /// Watches the main loop. Returns false when there is no room for it.
  @discardableResult
  public func watchMainLoop() -> Bool { watch(CFRunLoopGetMain(), name: "main") }

  /// Watches the calling thread's loop under a name. Returns false when there is no room for it.
  @discardableResult
  public func watchCurrentLoop(name: String) -> Bool { watch(CFRunLoopGetCurrent(), name: name) }

  /// Watches a timer of the calling thread's loop under a name; where hooks show all timers, it only gets the name. Returns
  /// false when the loop is not watched, the timer is a one-shot that hooks show, or there is no room for it.
  @discardableResult
  public func watch(_ timer: CFRunLoopTimer, name: String) -> Bool { timerWatch?.watch(timer, name: name) ?? false }

  private var timerWatch: TimerWatch? {
    timers.map { timers in
      TimerWatch(table: timers, names: timerNames, registry: registry, hasHooks: { [self] in hasHooks })
    }
  }

  private var hasHooks: Bool {
    life.withLock { life in
      if case .running(_, .some) = life { true } else { false }
    }
  }

  /// Removes all observers, hands on everything that is still to be told, and ends the watchdog. Returns when that is
  /// done; a second call does nothing. Takes milliseconds, and 2 s at most.
  public func stop() {
    guard !Self.isInForkedChild else { return }
    let moment = Platform.now()
    let running: (WatchdogThread, HookSights?)? = life.withLock { life in
      guard case .running(let thread, let sights) = life else { return nil }
      life = .stopped
      return (thread, sights)
    }
    guard let (thread, sights) = running else { return }
    if sights != nil { Farewell.beUnheard(at: parker) }
    sights?.stop()
    watchdog.withLock { $0 }?.stop(at: moment)
    if !thread.isCurrent { thread.join(patience: Self.stopPatience) }
  }

  /// The monotonic clock that all records are told in.
  public static func now() -> Nanoseconds { Platform.now() }

  /// Wall clock, in nanoseconds since 1970-01-01 UTC.
  public static func wallClock() -> UInt64 { Platform.wallClock() }

  /// Whether this process was forked, without exec, from one in which a probe was started: then nothing is watched
  /// here, and a probe must not be touched.
  public static var isInForkedChild: Bool { ForkGuard.isInChild }

  /// How much is kept of loops, for tests: it must not grow with all that ever were.
  var kept: (loops: Int, byObject: Int, memory: Int) { registry.counts }

  /// The same of timers, when watching has ended.
  var keptTimers: (known: Int, waiting: Int, loops: Int)? { watchdog.withLock { $0?.ledger?.counts } }

  private func watch(_ loop: CFRunLoop, name: String) -> Bool {
    guard registry.watch(loop, name: name) != nil else { return false }
    // A parked watchdog would not learn of a loop whose first run is in a mode that is yet to be made.
    parker.tell()
    return true
  }
}
