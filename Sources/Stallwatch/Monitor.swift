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
/// All methods may be called from any thread. On a watched thread the monitor costs one reading of the time and some
/// counting an activity; it allocates nothing there, takes no lock, and makes no system call but the waking of a parked watchdog.
public final class Monitor: Sendable {
  /// The store that is written; nil when the environment keeps the monitor out.
  public let store: String?

  private let annotations = Annotations()
  private let parts: Parts?

  private struct Parts: Sendable {
    let probe: Probe
    let recorder: StoreRecorder
    let broadcast: StallBroadcast
  }

  /// Opens the store, starts the monitor's three threads, and watches the main loop unless told otherwise. Returns within
  /// 5 s, the store's open timeout, also from a disk that does not answer.
  ///
  /// The environment overrules the configuration: see ``Configuration/overruledByEnvironment()``. A
  /// monitor that is not stopped stops when the process exits in order. Throws ``MonitorError``; then nothing is
  /// watched, and the program is none the worse.
  ///
  /// A child of fork without exec has a copy of its parent's monitor, whose threads and store are the parent's: there every
  /// method does nothing and takes no lock, and no other monitor can start.
  public static func start(_ configuration: Configuration = Configuration()) throws(MonitorError) -> Monitor {
    if isInForkedChild { throw .forkedChild }
    if Configuration.isDisabledByEnvironment { return Monitor(store: nil, parts: nil) }
    let configuration = try configuration.overruledByEnvironment()
    guard configuration.threshold >= Configuration.minimumThreshold else { throw .badThreshold }
    if let interval = configuration.driftInterval, !DriftInterval.range.contains(interval) { throw .badDriftInterval }
    if DescriptorRoom.isScarce { throw .fewDescriptors }
    let recorder = try openStore(configuration)
    let broadcast = StallBroadcast(store: recorder)
    do {
      let probe = try Probe(configuration: configuration.probe, recorder: broadcast)
      let monitor = Monitor(
        store: configuration.store, parts: Parts(probe: probe, recorder: recorder, broadcast: broadcast))
      try probe.start(
        annotations: { [annotations = monitor.annotations] in annotations.current },
        otherCPU: { [recorder] in recorder.threadCPU },
        lastWords: { [recorder] in recorder.settle(endedNs: $0) })
      if configuration.watchesMainLoop { probe.watchMainLoop() }
      ProcessExit.cover(monitor)
      return monitor
    } catch {
      recorder.close(endedNs: Probe.now())
      throw .probe(error as? ProbeError ?? .noResources("\(error)"))
    }
  }

  private init(store: String?, parts: Parts?) {
    self.store = store
    self.parts = parts
  }

  /// Watches the calling thread's run loop under a name, until the thread ends; a loop that is watched already keeps
  /// its name. Returns false when there is no room for another loop (1,024 at one time), or the monitor is not running.
  @discardableResult
  public func watchCurrentLoop(name: String) -> Bool { here?.probe.watchCurrentLoop(name: name) ?? false }

  /// Keeps a ledger of a timer under a name: what came due, what fired, what was dropped, and how late. To be called on the
  /// thread of the timer's loop, which must be watched; after the timer was added to it. Where StallwatchHooks show every
  /// timer of the process, the timer only gets its name. Without them a word of each timer is read at two activities of an
  /// iteration; its callouts are then timed to within one iteration. Returns false when the loop is not watched, when there
  /// is no room (4,096 timers, 1,024 of a loop without hooks), or for a one-shot that hooks show.
  @discardableResult
  public func watch(_ timer: CFRunLoopTimer, name: String) -> Bool { here?.probe.watch(timer, name: name) ?? false }

  /// The same for Foundation's `Timer`. Returns false also where no CFRunLoopTimer is found in it.
  @discardableResult
  public func watch(_ timer: Timer, name: String) -> Bool {
    guard let timer = timer.runLoopTimer else { return false }
    return watch(timer, name: name)
  }

  /// The stalls from now on, as they begin and end. Each use makes a stream of its own; all end when the monitor stops.
  /// A reader that falls 256 events behind misses the oldest; the store does not.
  public var stalls: AsyncStream<StallEvent> { here?.broadcast.stream() ?? AsyncStream { $0.finish() } }

  /// Says something of the program that stalls carry from now on, such as `screen` = `Settings`; nil takes it back.
  /// Further keys than 32 are ignored. Takes a lock for the time of a dictionary change.
  public func annotate(_ key: String, _ value: String?) {
    if Self.isInForkedChild { return }
    annotations.set(key, to: value)
  }

  /// Removes all observers, writes everything that is still to be written, and ends the streams. Returns when that is
  /// done, or when patience ends: 2 s for the monitor's own thread, which something in the process may hold up, and 2 s for
  /// the disk, the store's close timeout. A second call does nothing.
  public func stop() {
    guard let parts = here else { return }
    ProcessExit.release(self)
    parts.probe.stop()
    parts.broadcast.finish()
    parts.recorder.close(endedNs: Probe.now())
  }

  /// Why the store could not be written in full, or that it was removed meanwhile, in one line; nil when all is well. As
  /// of the last time that something was written: a quarter of a second while anything happens.
  public var trouble: String? { here?.recorder.trouble }

  /// What works for this process; nil in a child of it, where locks may be held by threads that are not there.
  private var here: Parts? { Self.isInForkedChild ? nil : parts }

  /// Whether this process was forked from the one that started the monitor, without exec: then it is not watched.
  static var isInForkedChild: Bool { Probe.isInForkedChild }

  private static func openStore(_ configuration: Configuration) throws(MonitorError) -> StoreRecorder {
    let opened = configuration.storeOpened.map { told in
      { @Sendable (error: StoreError?) in told(error.map(MonitorError.store)) }
    }
    do {
      return try StoreRecorder(path: configuration.store, session: configuration.session(), opened: opened)
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      throw .store(.failed(path: configuration.store, detail: "\(error)"))
    }
  }
}
