import CStallwatch
import CoreFoundation
import StallwatchCore

/// What an observer of one mode points at. Lies in a loop's memory, which outlives every observer.
struct ModeTap {
  var fold: UnsafeMutablePointer<LoopFold>
  var region: LoopRegion
  /// Nil until the mode is attached, which happens before its observers are added.
  var counters: ModeCounters?
  var parker: Parker
  var clock: CounterClock
  /// The loop's timers that are watched without hooks.
  var polled: UnsafeMutablePointer<PolledTimers>
  var threadEnd: UnsafeMutablePointer<ThreadEnd>
}

/// Whether to measure the observer's own cost at an activity: at one in 64 of the first 1,024, then at one in 1,024. A
/// second clock read that rare does not show in the cost.
@inline(__always)
private func isCostSampled(_ count: UInt64) -> Bool {
  count % 1_024 == 512 || count < 1_024 && count % 64 == 32
}

/// The longest cost that counts as the observer's own. In a longer one the thread had lost its processor.
private let longestCost: Nanoseconds = 20 * .microsecond

/// Every observer's callback, on the watched thread: reads the clock once, folds, and wakes the watchdog if it is
/// parked. No allocation, no lock, no system call but that wake-up; a loop's first activity also names its thread.
func observeActivity(_ observer: CFRunLoopObserver?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?) {
  let tap = info.unsafelyUnwrapped.assumingMemoryBound(to: ModeTap.self)
  let now = tap.pointee.clock.now()
  let region = tap.pointee.region
  guard !region.isSilenced else { return }
  let count = region.countActivity()
  if count == 0 { greet(tap) }
  // Before the fold moves on: what timers did since the last look, they did in the run that the fold still shows.
  if tap.pointee.polled.pointee.isActive { pollTimers(tap, Activity(rawValue: UInt(activity.rawValue)), at: now) }
  let woke = tap.pointee.fold.pointee.observe(
    Activity(rawValue: UInt(activity.rawValue)), in: tap.pointee.counters.unsafelyUnwrapped, at: now)
  if woke { tap.pointee.parker.wakeIfParked() }
  if isCostSampled(count) { region.addObserverTime(min(tap.pointee.clock.now().since(now), longestCost)) }
}

/// Looks at the timers that are watched without hooks.
@inline(never)
private func pollTimers(_ tap: UnsafeMutablePointer<ModeTap>, _ activity: Activity, at now: Nanoseconds) {
  tap.pointee.polled.pointee.poll(activity, at: now, isOutside: tap.pointee.region.position.isOutside)
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
