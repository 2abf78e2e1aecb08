import CHooks
import CStallwatch
import CoreFoundation
import StallwatchCore
import StallwatchLibc
import Synchronization

/// Receives what StallwatchHooks sees, where they are linked or preloaded: every loop and mode before its first run.
///
/// It finds the hooks by name at run time, so that the monitor works without them.
final class HooksListener: @unchecked Sendable {
  private let registry: LoopRegistry
  private let watchesEveryLoop: Bool
  private let register: stallwatch_hooks_register_function

  private let hasProof = Atomic<Bool>(false)

  /// The instance that hears the hooks; a C function has no place for a context.
  private static let current = Lock<HooksListener?>(nil)
  /// Keeps the ``ThreadLoop`` of the calling thread.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      Unmanaged<ThreadLoop>.fromOpaque(memory).release()
    }
    return failed == 0 ? key : nil
  }()

  /// Nil when the process has no hooks or another monitor listens to them. `timers` receives the hooked timers.
  /// `prepare` is called before the hooks call anything: other threads do as soon as they may.
  init?(registry: LoopRegistry, watchesEveryLoop: Bool, timers: TimerTable?, prepare: () -> Void) {
    guard let register = stallwatch_find_hooks_register(), Self.key != nil else { return nil }
    self.registry = registry
    self.watchesEveryLoop = watchesEveryLoop
    self.register = register
    let isFirst = Self.current.withLock { current in
      if current != nil { return false }
      current = self
      return true
    }
    guard isFirst else { return nil }
    if let timers { HookedTimers.use(timers) }
    EventLoops.prepare()
    prepare()
    guard register(Callbacks.memory) == 0 else {
      Self.current.withLock { $0 = nil }
      return nil
    }
    Self.callByFoundation()
  }

  /// Whether libFoundation itself was seen to call the hooks. It does not if it is bound to its own functions (by a
  /// linker's `-Bsymbolic`, or `RTLD_DEEPBIND`); the watchdog then looks for new modes as without hooks.
  var areProven: Bool { hasProof.load(ordering: .acquiring) }

  /// A mode that no loop has.
  private nonisolated(unsafe) static let proofMode = CFStringCreateWithCString(
    nil, "stallwatch.proof", CFStringBuiltInEncodings.UTF8.rawValue)!

  /// Makes libFoundation call the hooked function behind CFRunLoopRunInMode. The call returns at once and leaves
  /// nothing behind: the calling thread's loop does not get the mode.
  private static func callByFoundation() { _ = CFRunLoopRunInMode(proofMode, 0, true) }

  /// Stops listening. A call that another thread has begun may still go on; it finds a closed registry.
  func stop() {
    _ = register(nil)
    Self.current.withLock { $0 = nil }
  }

  /// Called on the thread that is about to run `loop` in `mode`. Takes no lock and allocates nothing if both are known.
  static func willRun(_ loopPointer: UnsafeRawPointer, _ modePointer: UnsafeRawPointer) {
    guard let key else { return }
    let loop = Unmanaged<CFRunLoop>.fromOpaque(loopPointer).takeUnretainedValue()
    let mode = Unmanaged<CFRunLoopMode>.fromOpaque(modePointer).takeUnretainedValue()
    let known = pthread_getspecific(key).map { Unmanaged<ThreadLoop>.fromOpaque($0).takeUnretainedValue() }
    if let known, known.isListening, known.watched.object == UInt(bitPattern: loopPointer) {
      known.willRun(mode)
      return
    }
    guard let listener = current.withLock({ $0 }) else { return }
    guard mode !== proofMode else { return listener.hasProof.store(true, ordering: .releasing) }
    guard let watched = listener.watched(loop) else { return }
    let thread = ThreadLoop(watched: watched, registry: listener.registry)
    pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
    if let known { Unmanaged.passUnretained(known).release() }
    thread.willRun(mode)
    StartUp.end()
  }

  /// What the calling thread knows of its own loop; nil if the hooks have not seen it yet, or watching has stopped.
  static var onThisThread: ThreadLoop? {
    guard let key, let known = pthread_getspecific(key) else { return nil }
    let thread = Unmanaged<ThreadLoop>.fromOpaque(known).takeUnretainedValue()
    return thread.isListening ? thread : nil
  }

  /// The registry of the listener, if it watches every loop; nil without one, and once watching has stopped.
  static var watchingEveryLoop: LoopRegistry? {
    guard let listener = current.withLock({ $0 }), listener.watchesEveryLoop, !listener.registry.isClosed else {
      return nil
    }
    return listener.registry
  }

  /// Called after an observer was added to a mode, on any thread, perhaps with CF's lock on the loop held. So it takes
  /// no lock under which others call CF.
  static func didAddObserver(
    _ loopPointer: UnsafeRawPointer, _ modePointer: UnsafeRawPointer, _ observerPointer: UnsafeRawPointer
  ) {
    let observer = Unmanaged<CFRunLoopObserver>.fromOpaque(observerPointer).takeUnretainedValue()
    // On a thread other than the loop's, our observer would be gone for a moment and could miss the loop's exit.
    guard CFRunLoopObserverGetOrder(observer) == ModeObservers.lastOrder, let key,
      let thread = pthread_getspecific(key).map({ Unmanaged<ThreadLoop>.fromOpaque($0).takeUnretainedValue() }),
      thread.watched.object == UInt(bitPattern: loopPointer)
    else { return }
    thread.didAdd(observer, to: Unmanaged<CFRunLoopMode>.fromOpaque(modePointer).takeUnretainedValue())
  }

  /// The watched loop of a CFRunLoop that is about to run; nil if it should not be watched.
  private func watched(_ loop: CFRunLoop) -> WatchedLoop? {
    watchesEveryLoop ? registry.watch(loop, name: nil) : registry.watched(loop)
  }
}

/// What one thread knows of its own loop, so that it does not ask the registry at every run. Used on that thread only.
final class ThreadLoop {
  let watched: WatchedLoop
  private let registry: LoopRegistry
  /// The modes that the thread has run.
  private(set) var modes: [AttachedMode] = []

  init(watched: WatchedLoop, registry: LoopRegistry) {
    self.watched = watched
    self.registry = registry
  }

  var isListening: Bool { !registry.isClosed }

  func willRun(_ mode: CFRunLoopMode) {
    for known in modes where known.name === mode { return }
    for known in modes where CFEqual(known.name, mode) { return }
    guard !CFEqual(mode, kCFRunLoopCommonModes), let attached = registry.attach(mode, of: watched) else { return }
    modes.append(attached)
    // The program may have added others after this was attached, before this thread knew it.
    moveLast(attached)
  }

  /// Keeps our closing observer behind one that was added with the same order.
  func didAdd(_ observer: CFRunLoopObserver, to mode: CFRunLoopMode) {
    guard isListening, let attached = modes.first(where: { CFEqual($0.name, mode) }), !attached.owns(observer) else {
      return
    }
    moveLast(attached)
  }

  private func moveLast(_ attached: AttachedMode) {
    attached.moveLast(in: watched.loop)
    // Watching may have stopped meanwhile, before the observer was back.
    if !isListening { attached.remove(from: watched.loop) }
  }
}

/// What StallwatchHooks calls. Never freed: another thread may be in one of these at any moment.
private enum Callbacks {
  nonisolated(unsafe) static let memory: UnsafePointer<stallwatch_hooks_listener> = {
    let memory = UnsafeMutablePointer<stallwatch_hooks_listener>.allocate(capacity: 1)
    memory.initialize(
      to: stallwatch_hooks_listener(
        size: MemoryLayout<stallwatch_hooks_listener>.size,
        will_run: { HooksListener.willRun($0!, $1!) },
        did_add_observer: { HooksListener.didAddObserver($0!, $1!, $2!) },
        will_end: { Farewell.say(.end) },
        did_make_timer: { HookedTimers.didMake($0!) },
        did_rearm_timer: { HookedTimers.didRearm($0!) },
        will_fire_timer: { HookedTimers.willFire($0!) },
        did_fire_timer: { HookedTimers.didFire($0!) },
        will_end_timer: { HookedTimers.willEnd($0!) },
        will_add_timer: { HookedTimers.willAdd($0!, $1!, $2!) },
        will_abort: { Farewell.say(.death) },
        will_wait: { EventLoops.willWait($0) },
        did_wait: { EventLoops.didWait() },
        will_serve: { MainQueueLane.willServe(on: $0) },
        did_serve: { MainQueueLane.didServe(waits: $0) },
        did_enqueue: { QueueItems.didEnqueue($0!, label: $1, $2, isDue: $3) },
        will_begin: { QueueItems.willBegin($0!, on: $1) },
        did_end: { QueueItems.didEnd($0!, wasAsked: $1) },
        may_begin: { QueueItems.mayBegin($0!, on: $1) },
        did_hop: { QueueItems.didHop($0!, wasAsked: $1, to: $2!, lane: $3) },
        must_wait: { QueueItems.mustWait($0!) },
        will_wait_for_turn: { QueueItems.willWaitForTurn($0!, label: $1, $2, on: $3) }))
    return UnsafePointer(memory)
  }()
}
