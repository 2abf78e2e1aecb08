import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Receives what StallwatchHooks sees, where they are linked or preloaded: every loop and mode before its first run.
///
/// It finds the hooks by name at run time, so that the monitor works without them.
final class HookSights: @unchecked Sendable {
  private let registry: LoopRegistry
  private let watchesEveryLoop: Bool
  private let register: stallwatch_hooks_register_function

  private let hasProof = Atomic<Bool>(false)

  /// The instance that hears the hooks; a C function has no place for a context.
  private static let current = Lock<HookSights?>(nil)
  /// Keeps the ``ThreadSight`` of the calling thread.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    let failed = pthread_key_create(&key) { memory in
      #if canImport(Glibc)
        guard let memory else { return }
      #endif
      Unmanaged<ThreadSight>.fromOpaque(memory).release()
    }
    return failed == 0 ? key : nil
  }()

  /// Nil when the process has no hooks or another monitor listens to them. `timers` receives the hooked timers.
  init?(registry: LoopRegistry, watchesEveryLoop: Bool, timers: TimerTable?) {
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
    guard register(HookListener.memory) == 0 else {
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
    let known = pthread_getspecific(key).map { Unmanaged<ThreadSight>.fromOpaque($0).takeUnretainedValue() }
    if let known, known.isListening, known.watched.object == UInt(bitPattern: loopPointer) {
      known.willRun(mode)
      return
    }
    guard let sights = current.withLock({ $0 }) else { return }
    guard mode !== proofMode else { return sights.hasProof.store(true, ordering: .releasing) }
    guard let watched = sights.watched(loop) else { return }
    let sight = ThreadSight(watched: watched, registry: sights.registry)
    pthread_setspecific(key, Unmanaged.passRetained(sight).toOpaque())
    if let known { Unmanaged.passUnretained(known).release() }
    sight.willRun(mode)
    StartUp.end()
  }

  /// What the calling thread knows of its own loop; nil if the hooks have not seen it yet, or watching has stopped.
  static var onThisThread: ThreadSight? {
    guard let key, let known = pthread_getspecific(key) else { return nil }
    let sight = Unmanaged<ThreadSight>.fromOpaque(known).takeUnretainedValue()
    return sight.isListening ? sight : nil
  }

  /// Called after an observer was added to a mode, on any thread, perhaps with CF's lock on the loop held. So it takes
  /// no lock under which others call CF.
  static func didAddObserver(
    _ loopPointer: UnsafeRawPointer, _ modePointer: UnsafeRawPointer, _ observerPointer: UnsafeRawPointer
  ) {
    let observer = Unmanaged<CFRunLoopObserver>.fromOpaque(observerPointer).takeUnretainedValue()
    // On a thread other than the loop's, our observer would be gone for a moment and could miss the loop's exit.
    guard CFRunLoopObserverGetOrder(observer) == ModeObservers.lastOrder, let key,
      let sight = pthread_getspecific(key).map({ Unmanaged<ThreadSight>.fromOpaque($0).takeUnretainedValue() }),
      sight.watched.object == UInt(bitPattern: loopPointer)
    else { return }
    sight.didAdd(observer, to: Unmanaged<CFRunLoopMode>.fromOpaque(modePointer).takeUnretainedValue())
  }

  /// The watched loop of a CFRunLoop that is about to run; nil if it should not be watched.
  private func watched(_ loop: CFRunLoop) -> WatchedLoop? {
    watchesEveryLoop ? registry.watch(loop, name: nil) : registry.watched(loop)
  }
}

/// What one thread knows of its own loop, so that it does not ask the registry at every run. Used on that thread only.
final class ThreadSight {
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
    // The program may have added others after this was attached, before this thread had a sight of it.
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

/// The C struct that StallwatchHooks asks for: its size in bytes, then its functions. Never freed.
private enum HookListener {
  private typealias WillRun = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void
  private typealias DidAddObserver = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void
  private typealias WillEnd = @convention(c) () -> Void
  private typealias WillAddTimer = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
  private typealias OfTimer = @convention(c) (UnsafeMutableRawPointer) -> Void

  nonisolated(unsafe) static let memory: UnsafeRawPointer = {
    let willRun: WillRun = { HookSights.willRun($0, $1) }
    let didAddObserver: DidAddObserver = { HookSights.didAddObserver($0, $1, $2) }
    let willEnd: WillEnd = { Farewell.say(.end) }
    let willAbort: WillEnd = { Farewell.say(.death) }
    let didMakeTimer: OfTimer = { HookedTimers.didMake($0.assumingMemoryBound(to: HookedTimers.Sight.self)) }
    let didRearmTimer: OfTimer = { HookedTimers.didRearm($0.assumingMemoryBound(to: HookedTimers.Sight.self)) }
    let willFireTimer: OfTimer = { HookedTimers.willFire($0.assumingMemoryBound(to: HookedTimers.Sight.self)) }
    let didFireTimer: OfTimer = { HookedTimers.didFire($0.assumingMemoryBound(to: HookedTimers.Sight.self)) }
    let willEndTimer: OfTimer = { HookedTimers.willEnd($0.assumingMemoryBound(to: HookedTimers.Sight.self)) }
    let willAddTimer: WillAddTimer = {
      HookedTimers.willAdd($0, $1.assumingMemoryBound(to: HookedTimers.Sight.self), $2)
    }
    let functions =
      [unsafeBitCast(willRun, to: UInt.self), unsafeBitCast(didAddObserver, to: UInt.self)]
      + [unsafeBitCast(willEnd, to: UInt.self)]
      + [didMakeTimer, didRearmTimer, willFireTimer, didFireTimer, willEndTimer].map {
        unsafeBitCast($0, to: UInt.self)
      } + [unsafeBitCast(willAddTimer, to: UInt.self), unsafeBitCast(willAbort, to: UInt.self)]
    let word = MemoryLayout<UInt>.stride
    let words = [UInt((functions.count + 1) * word)] + functions
    let memory = UnsafeMutableRawPointer.allocate(byteCount: words.count * word, alignment: word)
    for (place, value) in words.enumerated() { memory.storeBytes(of: value, toByteOffset: place * word, as: UInt.self) }
    return UnsafeRawPointer(memory)
  }()
}
