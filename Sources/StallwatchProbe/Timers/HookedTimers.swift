import CHooks
import CoreFoundation
import StallwatchCore
import Synchronization

/// What StallwatchHooks shows of timers, where they are linked or preloaded. Runs on the threads that make, fire and
/// end them.
///
/// A callout costs two clock reads and some counting; no allocation, no lock. A timer's first callout in each mode of
/// its loop asks CoreFoundation whether the timer is in that mode.
enum HookedTimers {
  /// The address of the table; 0 before there is one.
  private static let listening = Atomic<UInt>(0)

  /// Notes timers in `table` from now on, that of the one monitor that listens. The table is never freed: a call that
  /// has begun may use it after the next table has come.
  static func use(_ table: TimerTable) {
    listening.store(UInt(bitPattern: Unmanaged.passRetained(table).toOpaque()), ordering: .releasing)
  }

  @inline(__always)
  private static var table: Unmanaged<TimerTable>? {
    UnsafeRawPointer(bitPattern: listening.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
  }

  /// A timer as the hooks show it.
  typealias Hooked = UnsafeMutablePointer<stallwatch_hooks_timer>

  /// The tag of a one-shot that has fired; another timer's is its slot.
  private static var fired: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

  static func didMake(_ timer: Hooked) {
    guard timer.pointee.tag == nil, let table = table?.takeUnretainedValue() else { return }
    let interval = TimerLayout.interval(timer.pointee.interval)
    // One-shots share slots, which are found when they fire.
    guard interval > 0, let slot = table.claim() else { return }
    slot.describe(origin: timer.pointee.originAddress, interval: interval, at: Platform.now())
    slot.loopObject = timer.pointee.loopAddress
    arm(slot, timer)
    slot.begin()
    timer.pointee.tag = slot.memory
  }

  /// CF's lock on the loop may be held, so this takes no other.
  static func willAdd(_ loop: UnsafeRawPointer, _ timer: Hooked, _ mode: UnsafeRawPointer) {
    guard timer.pointee.interval > 0, let memory = timer.pointee.tag else { return }
    let slot = TimerSlot(memory: memory)
    slot.loopObject = UInt64(UInt(bitPattern: loop))
    slot.addedNs = Platform.now()
    slot.note(modeHash: hash(of: Unmanaged<CFRunLoopMode>.fromOpaque(mode).takeUnretainedValue()))
  }

  static func didRearm(_ timer: Hooked) {
    guard timer.pointee.interval > 0, let memory = timer.pointee.tag else { return }
    let slot = TimerSlot(memory: memory)
    guard let loop = slot.loop else { return arm(slot, timer) }
    let due = due(timer, slot)
    let now = Platform.now()
    slot.leaveRearm(to: due, at: now)
    if let thread = HooksListener.onThisThread, thread.watched.id == loop { slot.takeRearm() }
  }

  static func willFire(_ timer: Hooked) {
    let now = Platform.now()
    guard let thread = HooksListener.onThisThread, let slot = slot(of: timer, thread, at: now) else { return }
    if slot.checkedModes != thread.modes.count || slot.loop != thread.watched.id { check(slot, timer, thread) }
    slot.takeRearm()
    slot.fold?.begin(due: due(timer, slot), interval: slot.interval, at: now, startUp: StartUp.interval)
  }

  static func didFire(_ timer: Hooked) {
    guard let thread = HooksListener.onThisThread, let slot = slot(of: timer, thread, at: 0) else { return }
    slot.fold?.end(at: Platform.now())
  }

  static func willEnd(_ timer: Hooked) {
    let now = Platform.now()
    let thread = HooksListener.onThisThread
    let isHere = thread.map { UInt64($0.watched.object) == timer.pointee.loopAddress } ?? false
    guard timer.pointee.interval > 0 else {
      // One that has fired ends by itself.
      guard timer.pointee.tag == nil, isHere, let thread else { return }
      let due = TimerLayout.due(timer.pointee.timer)
      guard due <= now, let slot = oneShot(timer, thread, at: now) else { return }
      slot.fold?.dropOneShot(due: due, at: now)
      return
    }
    guard let memory = timer.pointee.tag else { return }
    let slot = TimerSlot(memory: memory)
    if isHere, let thread { check(slot, timer, thread) }
    slot.takeRearm()
    slot.fold?.finish(at: now)
    slot.end(at: now)
    table?._withUnsafeGuaranteedRef { $0.noteEnd() }
  }

  /// The number by which a slot knows a mode: CFHash, which is the same for equal names; never 0.
  static func hash(of mode: CFRunLoopMode) -> UInt64 { max(UInt64(CFHash(mode)), 1) }

  private static func arm(_ slot: TimerSlot, _ timer: Hooked) {
    slot.lastDue = TimerLayout.due(timer.pointee.timer)
    slot.counters.arm(due: slot.lastDue, interval: slot.interval)
  }

  @inline(__always)
  private static func due(_ timer: Hooked, _ slot: TimerSlot) -> Nanoseconds {
    if TimerLayout.isKnown { return TimerLayout.due(timer.pointee.timer) }
    slot.lastDue = TimerLayout.due(timer.pointee.timer, after: slot.lastDue, interval: slot.interval)
    return slot.lastDue
  }

  private static func slot(
    of timer: Hooked, _ thread: ThreadLoop, at now: Nanoseconds
  ) -> TimerSlot? {
    if timer.pointee.interval > 0 { return timer.pointee.tag.map { TimerSlot(memory: $0) } }
    timer.pointee.tag = fired
    return oneShot(timer, thread, at: now)
  }

  private static func oneShot(
    _ timer: Hooked, _ thread: ThreadLoop, at now: Nanoseconds
  ) -> TimerSlot? {
    table?.takeUnretainedValue().oneShot(origin: timer.pointee.originAddress, of: thread.watched, at: now)
  }

  /// Binds a slot to this thread's loop, and asks in which of its modes the timer is.
  private static func check(_ slot: TimerSlot, _ timer: Hooked, _ thread: ThreadLoop) {
    if slot.loop != thread.watched.id {
      slot.bind(to: thread.watched)
      slot.checkedModes = 0
    }
    guard let fold = slot.fold else { return }
    let cfTimer = TimerLayout.cf(timer.pointee.timer)
    for mode in thread.modes[min(slot.checkedModes, thread.modes.count)...]
    where CFRunLoopContainsTimer(thread.watched.loop, cfTimer, mode.name) {
      fold.join(mode: mode.counters.index)
    }
    slot.checkedModes = thread.modes.count
  }
}

extension stallwatch_hooks_timer {
  /// The return address in the code that made it; 0 where that is unknown.
  fileprivate var originAddress: UInt64 { UInt64(UInt(bitPattern: origin)) }
  /// The address of the loop it was last added to; 0 before that.
  fileprivate var loopAddress: UInt64 { UInt64(UInt(bitPattern: loop)) }
}
