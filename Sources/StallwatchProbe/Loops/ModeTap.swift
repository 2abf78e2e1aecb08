import CStallwatch
import CoreFoundation
import StallwatchCore

/// What an observer of one mode points at. Lies in a loop's memory, which outlives every observer.
struct ModeTap {
  var fold: UnsafeMutablePointer<LoopFold>
  var counters: ModeCounters
  var retired: RetiredCounters
  var clock: CounterClock
  var region: LoopRegion
  var parker: Parker
  /// The loop's timers that are watched without hooks.
  var polled: UnsafeMutablePointer<PolledTimers>
  var threadEnd: UnsafeMutablePointer<ThreadEnd>
}

/// Every observer's callback, on the watched thread: reads the clock once, folds, and wakes the watchdog if it is
/// parked. No allocation, no lock, no system call but that wake-up; a loop's first activity also names its thread.
///
/// What is not done at every activity is done in functions of its own, so that this one saves no registers for it. It
/// is a closure because the compiler puts that into the C function itself.
var observeActivity: CFRunLoopObserverCallBack {
  { _, activity, info in
    let tap = info.unsafelyUnwrapped.assumingMemoryBound(to: ModeTap.self)
    guard let now = tap.pointee.clock.counted else { return observeByClock(tap, activity) }
    observe(tap, Activity(rawValue: UInt(activity.rawValue)), at: now)
  }
}

@inline(never)
private func observeByClock(_ tap: UnsafeMutablePointer<ModeTap>, _ activity: CFRunLoopActivity) {
  observe(tap, Activity(rawValue: UInt(activity.rawValue)), at: Platform.now())
}

/// Folds an activity of the loop, on its own thread.
@inline(__always)
func observe(_ tap: UnsafeMutablePointer<ModeTap>, _ activity: Activity, at now: Nanoseconds) {
  switch tap.pointee.fold.pointee.take(in: tap.pointee.counters, at: now, activity) {
  case .folded: return
  case .woke: tap.pointee.parker.wakeIfParked()
  case .rare: observeRarely(tap)
  }
}

/// Folds the end of an item of a lane that is no run loop, after which it waits or serves the next one.
@inline(__always)
func observeEnd(_ tap: UnsafeMutablePointer<ModeTap>, waits: Bool) {
  let now = tap.pointee.clock.now()
  if tap.pointee.fold.pointee.endItem(waits: waits, in: tap.pointee.counters, at: now) { return }
  if waits {
    // Not beforeTimers: it would begin a span of no length.
    tap.pointee.counters.countItem()
    observe(tap, .beforeWaiting, at: now)
  } else {
    observe(tap, .beforeTimers, at: now)
    observe(tap, .beforeSources, at: now)
  }
}

/// Folds the begin of an item of such a lane, after a wait.
@inline(__always)
func observeBegin(_ tap: UnsafeMutablePointer<ModeTap>) {
  let now = tap.pointee.clock.now()
  guard tap.pointee.fold.pointee.beginItem(in: tap.pointee.counters, at: now) else {
    return observe(tap, .afterWaiting, at: now)
  }
  tap.pointee.parker.wakeIfParked()
}

/// At the activities that ``LoopRegion/attend(from:)`` names: after a fork, at a loop's first, at each while timers are
/// polled, where the watchdog asks for the retirement of counters, and now and then to measure what an observer costs.
@inline(never)
private func observeRarely(_ tap: UnsafeMutablePointer<ModeTap>) {
  let region = tap.pointee.region
  let activity = tap.pointee.fold.pointee.left
  guard !region.isSilenced else { return }
  let now = tap.pointee.clock.now()
  let count = region.countActivity()
  if count == 0 { greet(tap) }
  if tap.pointee.retired.isAsked { tap.pointee.counters.retire(to: tap.pointee.retired) }
  // Before the fold moves on: what timers did since the last look, they did in the run that the fold still shows.
  if tap.pointee.polled.pointee.isActive {
    tap.pointee.polled.pointee.poll(activity, at: now, isOutside: region.position.isOutside)
  }
  if tap.pointee.fold.pointee.observe(activity, in: tap.pointee.counters, at: now) {
    tap.pointee.parker.wakeIfParked()
  }
  if CostSampling.isDue(at: count) {
    region.addObserverTime(min(tap.pointee.clock.now().since(now), CostSampling.longest))
  }
  region.attend(from: tap.pointee.polled.pointee.isActive ? 0 : CostSampling.next(after: count))
}

/// At which activities the observer's own cost is measured: at one in 64 of the first 1,024, then at one in 1,024. A
/// second clock read that rare does not show in the cost.
private enum CostSampling {
  /// The longest cost that counts as the observer's own. In a longer one the thread had lost its processor.
  static let longest: Nanoseconds = 20 * .microsecond

  /// The first such activity after the one with this number, from 0.
  static func next(after count: UInt64) -> UInt64 {
    let step: UInt64 = count < 992 ? 64 : 1_024
    return (count + step / 2) / step * step + step / 2
  }

  static func isDue(at count: UInt64) -> Bool { count > 0 && next(after: count - 1) == count }
}

/// At a loop's first activity: stores the thread's name, pointer and ID, and registers for the thread's end.
@inline(never)
private func greet(_ tap: UnsafeMutablePointer<ModeTap>) {
  let region = tap.pointee.region
  var name: (UInt64, UInt64) = (0, 0)
  withUnsafeMutableBytes(of: &name) {
    stallwatch_thread_name($0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
  }
  region.setThreadName(UInt64(littleEndian: name.0), UInt64(littleEndian: name.1))
  region.setThreadPointer(stallwatch_thread_pointer())
  region.setThreadID(stallwatch_thread_id())
  ThreadEnd.watch(tap.pointee.threadEnd)
}
