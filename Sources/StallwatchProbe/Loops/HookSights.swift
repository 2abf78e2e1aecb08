import CStallwatch
import CoreFoundation
import StallwatchCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What StallwatchHooks tells, where it is linked or preloaded: every loop and mode before its first run.
///
/// Hooks are found by name at run time, so that the monitor works without them.
final class HookSights: @unchecked Sendable {
  private let registry: LoopRegistry
  private let watchesEveryLoop: Bool
  private let register: stallwatch_hooks_register_function

  /// The one that is told; a C function has no place for a context.
  private static let current = Mutex<HookSights?>(nil)
  /// Which loop the calling thread has; see ``ThreadSight``.
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

  /// Nil when no hooks are in the process, or someone else listens to them.
  init?(registry: LoopRegistry, watchesEveryLoop: Bool) {
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
    guard register(HookListener.memory) == 0 else {
      Self.current.withLock { $0 = nil }
      return nil
    }
  }

  /// Stops listening. A call that has begun on another thread may still go on: it finds a closed registry.
  func stop() {
    _ = register(nil)
    Self.current.withLock { $0 = nil }
  }

  /// On the thread that is about to run `loop` in `mode`. When both are known: no lock, no allocation.
  static func willRun(_ loopPointer: UnsafeRawPointer, _ modePointer: UnsafeRawPointer) {
    guard let key else { return }
    let loop = Unmanaged<CFRunLoop>.fromOpaque(loopPointer).takeUnretainedValue()
    let mode = Unmanaged<CFRunLoopMode>.fromOpaque(modePointer).takeUnretainedValue()
    let known = pthread_getspecific(key).map { Unmanaged<ThreadSight>.fromOpaque($0).takeUnretainedValue() }
    if let known, known.isListening, known.watched.loop === loop {
      known.willRun(mode)
      return
    }
    guard let sights = current.withLock({ $0 }), sights.watchesEveryLoop || CFEqual(loop, CFRunLoopGetMain()) else {
      return
    }
    guard let watched = sights.registry.watch(loop, name: nil) else { return }
    let sight = ThreadSight(watched: watched, registry: sights.registry)
    pthread_setspecific(key, Unmanaged.passRetained(sight).toOpaque())
    if let known { Unmanaged.passUnretained(known).release() }
    sight.willRun(mode)
  }

  /// After an observer was added to a mode, on any thread.
  static func didAddObserver(
    _ loopPointer: UnsafeRawPointer, _ modePointer: UnsafeRawPointer, _ observerPointer: UnsafeRawPointer
  ) {
    let observer = Unmanaged<CFRunLoopObserver>.fromOpaque(observerPointer).takeUnretainedValue()
    let loop = Unmanaged<CFRunLoop>.fromOpaque(loopPointer).takeUnretainedValue()
    // From another thread ours would be gone for a moment, and could miss the loop's exit. Ours are added with the
    // registry locked.
    guard CFRunLoopObserverGetOrder(observer) == AttachedMode.lastOrder, loop === CFRunLoopGetCurrent(),
      !AttachedMode.isOurs(observer), let sights = current.withLock({ $0 })
    else { return }
    sights.registry.moveLast(in: Unmanaged<CFRunLoopMode>.fromOpaque(modePointer).takeUnretainedValue(), of: loop)
  }
}

/// What one thread knows of its own loop, so that it need not ask the registry at every run. Used by that thread only.
private final class ThreadSight {
  let watched: WatchedLoop
  private let registry: LoopRegistry
  private var modes: [CFRunLoopMode] = []

  init(watched: WatchedLoop, registry: LoopRegistry) {
    self.watched = watched
    self.registry = registry
  }

  var isListening: Bool { !registry.isClosed }

  func willRun(_ mode: CFRunLoopMode) {
    for known in modes where known === mode { return }
    for known in modes where CFEqual(known, mode) { return }
    if CFEqual(mode, kCFRunLoopCommonModes) || !registry.attach(mode, of: watched) { return }
    modes.append(mode)
  }
}

/// The C struct that StallwatchHooks asks for: its size, then two functions. It stays for good.
private enum HookListener {
  private typealias WillRun = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void
  private typealias DidAddObserver = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> Void

  nonisolated(unsafe) static let memory: UnsafeRawPointer = {
    let word = MemoryLayout<UInt>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * word, alignment: word)
    let willRun: WillRun = { HookSights.willRun($0, $1) }
    let didAddObserver: DidAddObserver = { HookSights.didAddObserver($0, $1, $2) }
    memory.storeBytes(of: UInt(3 * word), as: UInt.self)
    memory.storeBytes(of: unsafeBitCast(willRun, to: UInt.self), toByteOffset: word, as: UInt.self)
    memory.storeBytes(of: unsafeBitCast(didAddObserver, to: UInt.self), toByteOffset: 2 * word, as: UInt.self)
    return UnsafeRawPointer(memory)
  }()
}
