import CoreFoundation
import Foundation
import StallwatchCore
import StallwatchProbe
import StallwatchStore

/// A monitor of this process's run loops, embedded in it.
///
/// ```swift
/// let monitor = try Monitor.start(Configuration(store: "app.stallwatch"))
/// monitor.annotate("screen", "Settings")
/// for await case .ended(let stall) in monitor.stalls { print(stall.loop, stall.duration) }
/// ```
///
/// Any thread may call its methods. On a watched thread an activity costs one reading of the time and some counting: no
/// allocation, no lock, and no system call but the waking of a parked watchdog.
public final class Monitor: Sendable {
  /// The path of the store it writes; nil when the environment keeps the monitor out.
  public let store: String?

  private let annotations = Annotations()
  private let parts: Parts?

  private struct Parts: Sendable {
    let probe: Probe
    let recorder: StoreRecorder
    let broadcast: StallBroadcast
  }

  /// Opens the store, starts the monitor's three threads, and watches the main loop unless the configuration says
  /// otherwise. Returns within 5 s, the store's open timeout, even from a disk that does not answer.
  ///
  /// The environment overrides the configuration, and completes what that says of the session: see <doc:CommandLine#Environment>. A monitor that is not stopped
  /// stops when the process exits in order. Throws ``MonitorError``; then nothing is watched, and the program runs on
  /// as before.
  ///
  /// A child of fork without exec has a copy of its parent's monitor, whose threads and store belong to the parent.
  /// There every method does nothing and takes no lock, and no other monitor can start.
  public static func start(_ configuration: Configuration = Configuration()) throws(MonitorError) -> Monitor {
    if isInForkedChild { throw .forkedChild }
    if Configuration.isDisabledByEnvironment { return Monitor(store: nil, parts: nil) }
    let configuration = try configuration.overruledByEnvironment()
    let watching = try configuration.probe()
    if DescriptorRoom.isScarce { throw .fewDescriptors }
    let recorder = try openStore(configuration, threshold: watching.threshold)
    let broadcast = StallBroadcast(store: recorder)
    do {
      let probe = try Probe(configuration: watching, recorder: broadcast)
      let monitor = Monitor(
        store: configuration.store, parts: Parts(probe: probe, recorder: recorder, broadcast: broadcast))
      try probe.start(
        annotations: { [annotations = monitor.annotations] in annotations.current },
        recorderCost: { [recorder] in recorder.cost },
        lastWords: { [recorder] in recorder.settle(endedNs: $0) })
      if configuration.watchesMainLoop { probe.watchMainLoop() }
      ProcessExit.cover(monitor)
      return monitor
    } catch {
      recorder.close(endedNs: Probe.now())
      throw .process(reason: "\(error as? ProbeError ?? .noResources("\(error)"))")
    }
  }

  private init(store: String?, parts: Parts?) {
    self.store = store
    self.parts = parts
  }

  /// Watches the calling thread's run loop under a name until the thread ends; a loop that is watched already keeps its
  /// name. Returns why it is not watched, ``WatchRefusal/notRunning`` or ``WatchRefusal/noRoom`` (1,024 loops at one
  /// time); nil when it is.
  @discardableResult
  public func watchCurrentLoop(name: String) -> WatchRefusal? {
    guard let probe = here?.probe, !probe.hasStopped else { return .notRunning }
    return probe.watchCurrentLoop(name: name) ? nil : .noRoom
  }

  /// Keeps a ledger of a timer under a name: what came due, what fired, what was dropped, and how late. Call it on the
  /// thread of the timer's loop, which must be watched, after adding the timer to it. Where StallwatchHooks show every
  /// timer of the process, this only names the timer. Without them each iteration reads a word of each timer at two
  /// activities, which times callouts to within one iteration. Returns why it has no ledger of that name; nil when it
  /// has. There is room for 4,096 timers, and without hooks for 1,024 of a loop.
  @discardableResult
  public func watch(_ timer: CFRunLoopTimer, name: String) -> WatchRefusal? {
    guard let probe = here?.probe, !probe.hasStopped else { return .notRunning }
    return probe.watch(timer, name: name).map(WatchRefusal.init)
  }

  /// Does the same for Foundation's `Timer`. Also returns ``WatchRefusal/noRunLoopTimer``.
  @discardableResult
  public func watch(_ timer: Timer, name: String) -> WatchRefusal? {
    guard let timer = timer.runLoopTimer else { return .noRunLoopTimer }
    return watch(timer, name: name)
  }

  /// How to watch a lane that is no run loop.
  package enum LaneWatch {
    /// Hooks show all that it serves: nothing is to be done.
    case hooked
    /// Pings are to wait in it.
    case pinged(PingedLane)
    case refused(WatchRefusal)
  }

  /// How to watch a queue, an actor or an event loop, for StallwatchLanes and StallwatchNIO. `queue`: the queue of
  /// Dispatch's that it is. Any thread; takes a lock.
  package func watchLane(name: String, queue: AnyObject? = nil) -> LaneWatch {
    guard let probe = here?.probe, !probe.hasStopped else { return .refused(.notRunning) }
    if probe.seesItems { return .hooked }
    return probe.pingedLane(name: name, queue: queue).map(LaneWatch.pinged) ?? .refused(.noRoom)
  }

  /// The stalls from now on, as they begin and end. Each use makes a stream of its own; all streams end when the
  /// monitor stops. A reader that falls 256 events behind misses the oldest; the store does not.
  public var stalls: AsyncStream<StallEvent> { here?.broadcast.stream() ?? AsyncStream { $0.finish() } }

  /// Sets what stalls say of the program from now on, such as `screen` = `Settings`; nil removes the key. Keys beyond
  /// 32 are ignored. Takes a lock for the time of a dictionary change.
  public func annotate(_ key: String, _ value: String?) {
    if Self.isInForkedChild { return }
    annotations.set(key, to: value)
  }

  /// Removes all observers, writes everything that is left, and ends the streams. Returns when that is done, or when
  /// patience runs out: 2 s for the watchdog's thread, which something in the process may hold up, and 2 s for the
  /// disk, the store's close timeout. A second call does nothing.
  public func stop() {
    guard let parts = here else { return }
    ProcessExit.release(self)
    parts.probe.stop()
    parts.broadcast.finish()
    parts.recorder.close(endedNs: Probe.now())
  }

  /// One line that says why the store could not be written in full, or that it was removed; nil when all is well. Dates
  /// from the last write, some milliseconds ago while anything happens.
  public var trouble: String? { here?.recorder.trouble }

  /// The working parts; nil in a forked child, where threads that do not exist there may hold locks.
  private var here: Parts? { Self.isInForkedChild ? nil : parts }

  /// Whether this process was forked, without exec, from the one that started the monitor: then it is not watched.
  static var isInForkedChild: Bool { Probe.isInForkedChild }

  private static func openStore(
    _ configuration: Configuration, threshold: Nanoseconds
  ) throws(MonitorError) -> StoreRecorder {
    let limits = try configuration.retention.limits()
    let session = configuration.session(try configuration.labels(), threshold: threshold)
    let opened = configuration.storeOpened.map { report in
      { @Sendable (error: StoreError?) in report(error.map { MonitorError.store($0) }) }
    }
    do {
      var writing = StoreRecorder.Configuration()
      writing.retention = limits
      return try StoreRecorder(
        path: configuration.store, session: session, configuration: writing, opened: opened)
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      throw .store(.failed(path: configuration.store, detail: "\(error)"))
    }
  }
}
