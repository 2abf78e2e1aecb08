import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

/// Watches the run loops of this process and hands what it sees to a recorder.
///
/// Any thread may call its methods. On a watched thread only the observers run.
package final class Probe: Sendable {
  private enum Life {
    case new
    case running(WatchdogThread, HooksListener?)
    case stopped
  }

  /// How long ``stop()`` waits for the watchdog, which needs milliseconds unless the program holds what it needs.
  static let stopPatience = 2 * Nanoseconds.second

  private let configuration: ProbeConfiguration
  private let parker: Parker
  private let clock: CounterClock
  let registry: LoopRegistry
  private let recorder: any Recorder
  private let life = Mutex(Life.new)
  private let watchdog = Mutex<Watchdog?>(nil)
  private let timers: TimerTable?
  private let timerNames = TimerNames()
  private let pings: PingedLanes
  /// Whether hooks show the items of queues, actors and event loops.
  private let showsItems = Atomic<Bool>(false)

  /// Makes a probe that does not run yet. Throws ``ProbeError/noResources(_:)``.
  package init(configuration: ProbeConfiguration, recorder: any Recorder) throws {
    // Watched threads look at both each time: they lie in one line of the caches.
    guard let memory = ZeroedMemory.allocate(byteCount: Parker.byteCount + CounterClock.byteCount) else {
      throw ProbeError.noResources("address space")
    }
    let (parker, clock) = (Parker(memory: memory), CounterClock(memory: memory + Parker.byteCount))
    guard let registry = LoopRegistry(configuration: configuration, parker: parker, clock: clock) else {
      throw ProbeError.noResources("address space")
    }
    self.configuration = configuration
    self.parker = parker
    self.clock = clock
    self.recorder = recorder
    timers = TimerTable()
    self.registry = registry
    pings = PingedLanes(clock: clock, parker: parker, threshold: configuration.threshold)
  }

  /// Starts the watchdog and listens to StallwatchHooks if they are in the process. Throws ``ProbeError``.
  ///
  /// - Parameters:
  ///   - annotations: What the program says of itself at that moment. Called on the watchdog's thread when a stall
  ///     begins.
  ///   - recorderCost: What the recorder's own threads cost so far; counts as part of the monitor's cost.
  ///   - lastWords: Called on the watchdog's thread after it has handed on all records, when the process is about to
  ///     end without its exit handlers or to become another program (with that moment), or when abort() is about to
  ///     kill it (nil). Should return once the records are written. Only preloaded hooks show these endings.
  package func start(
    annotations: @escaping @Sendable () -> [String: String] = { [:] },
    recorderCost: @escaping @Sendable () -> RecorderCost = { RecorderCost() },
    lastWords: @escaping @Sendable (Nanoseconds?) -> Void = { _ in }
  ) throws {
    try life.withLock { life in
      guard case .new = life else { throw ProbeError.usedBefore }
      ThreadEnd.prepare()
      ForkGuard.install()
      TimerLayout.find()
      StartUp.begin(at: configuration.startUpNs)
      let watchedNs = clock.now()
      let (listener, lanes) = listen(from: watchedNs)
      let watchdog = Watchdog(
        registry: registry, parker: parker, clock: clock, recorder: recorder, configuration: configuration,
        seesEveryMode: listener?.areProven ?? false, hasHooks: listener != nil, annotations: annotations,
        recorderCost: recorderCost, lastWords: lastWords,
        ledger: timers.map { TimerLedger(table: $0, names: timerNames) },
        queues: QueueWatch(
          lanes, pings, registry: registry, threshold: configuration.threshold, at: watchedNs))
      showsItems.store(lanes != nil, ordering: .relaxed)
      guard let thread = WatchdogThread(name: "stallwatch", { watchdog.run() }) else {
        listener?.stop()
        throw ProbeError.noResources("thread")
      }
      if listener != nil { Farewell.beHeard(at: parker) }
      self.watchdog.withLock { $0 = watchdog }
      life = .running(thread, listener)
    }
  }

  /// Listens to the hooks, if they are to be used and are there. Returns the lanes that their items make.
  private func listen(from watchedNs: Nanoseconds) -> (HooksListener?, LaneTable?) {
    guard configuration.usesHooks else { return (nil, nil) }
    var lanes: LaneTable?
    let listener = HooksListener(
      registry: registry, watchesEveryLoop: configuration.watchesEveryLoop, timers: timers
    ) {
      guard configuration.watchesEveryLoop else { return }
      lanes = QueueItems.begin(clock: clock, parker: parker, threshold: configuration.threshold, at: watchedNs)
    }
    if listener == nil, lanes != nil { QueueItems.end() }
    return (listener, listener == nil ? nil : lanes)
  }

  /// Watches the main loop. Any thread. Returns false when there is no room for it.
  @discardableResult
  package func watchMainLoop() -> Bool { watch(CFRunLoopGetMain(), name: "main") }

  /// Watches the calling thread's loop under a name. Returns false when there is no room for it.
  @discardableResult
  package func watchCurrentLoop(name: String) -> Bool { watch(CFRunLoopGetCurrent(), name: name) }

  /// Watches a timer of the calling thread's loop under a name; where hooks show all timers, it only names the timer.
  /// Returns why it has no ledger of that name; nil when it has.
  @discardableResult
  package func watch(_ timer: CFRunLoopTimer, name: String) -> TimerRefusal? {
    guard let timerWatch else { return .notRunning }
    return timerWatch.watch(timer, name: name)
  }

  /// A lane to be pinged under a name; nil where there is no room for it. `queue`: the queue of Dispatch's that it is. Any
  /// thread. Where ``seesItems``, none is needed.
  package func pingedLane(name: String, queue: AnyObject? = nil) -> PingedLane? { pings.add(name, queue: queue) }

  /// Whether hooks show the items of queues, actors and event loops, once the probe has started. Any thread.
  package var seesItems: Bool { showsItems.load(ordering: .relaxed) }

  private var timerWatch: TimerWatch? {
    timers.map { timers in
      TimerWatch(table: timers, names: timerNames, registry: registry, hasHooks: { [self] in hasHooks })
    }
  }

  /// Whether ``stop()`` was called. Any thread; takes a lock.
  package var hasStopped: Bool {
    life.withLock { life in
      if case .stopped = life { true } else { false }
    }
  }

  private var hasHooks: Bool {
    life.withLock { life in
      if case .running(_, .some) = life { true } else { false }
    }
  }

  /// Removes all observers, hands on all remaining records and ends the watchdog. Returns when that is done, after
  /// milliseconds as a rule and 2 s at most. A second call does nothing.
  package func stop() {
    guard !Self.isInForkedChild else { return }
    pings.end()
    let moment = Platform.now()
    let running: (WatchdogThread, HooksListener?)? = life.withLock { life in
      guard case .running(let thread, let listener) = life else { return nil }
      life = .stopped
      return (thread, listener)
    }
    guard let (thread, listener) = running else { return }
    // Without a listener, another monitor of the process may have them.
    if listener != nil {
      Farewell.beUnheard(at: parker)
      QueueItems.end()
    }
    listener?.stop()
    watchdog.withLock { $0 }?.stop(at: moment)
    if !thread.isCurrent { thread.join(patience: Self.stopPatience) }
  }

  /// The monotonic clock that all records use, in nanoseconds. Any thread.
  package static func now() -> Nanoseconds { Platform.now() }

  /// The wall clock, in nanoseconds since 1970-01-01 UTC. Any thread.
  package static func wallClock() -> UInt64 { Platform.wallClock() }

  /// The build-id of the program's own file in lower-case hexadecimal; nil where it has none or the system does not say.
  /// Reads some headers in memory. Any thread.
  package static func programBuildID() -> String? { Platform.programBuildID() }

  /// Whether this process was forked, without exec, from one that started a probe. Nothing is watched here then, and a
  /// probe must not be touched.
  package static var isInForkedChild: Bool { ForkGuard.isInChild }

  /// How many loops the probe keeps. Tests hold it against growth with the number of loops that ever existed.
  var kept: (loops: Int, byObject: Int, memory: Int, withPages: Int) { registry.counts }

  /// The CPU time of each look at a held thread so far, if ``ProbeConfiguration/measuresLooks``; for benches.
  package var looks: [Nanoseconds] { watchdog.withLock { $0?.looks.all } ?? [] }

  /// How many timers the ledger keeps once watching has ended; for tests.
  var keptTimers: (known: Int, waiting: Int, loops: Int)? { watchdog.withLock { $0?.ledger?.counts } }

  private func watch(_ loop: CFRunLoop, name: String) -> Bool {
    guard registry.watch(loop, name: name) != nil else { return false }
    // A parked watchdog would not notice a loop whose first run is in a mode that does not exist yet.
    parker.alert()
    return true
  }
}
