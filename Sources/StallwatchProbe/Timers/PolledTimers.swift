import CoreFoundation
import StallwatchCore

/// The timers of one loop that are watched without hooks, by their due times. Lies in the loop's memory; used on the
/// loop's thread only.
///
/// Before and after each phase in which timers can fire, it reads one word of each timer, in a nanosecond or two: a due
/// time that moved on along its grid was served. It does not see exactly when: it takes the callout to have begun at
/// the latest activity before, which is too early by one iteration at most, and does not know its length. A timer that
/// was due in such a phase and is invalid after it counts as ended in its own callout; one that is invalid at another
/// moment has not fired since the last look, and counts as ended then.
struct PolledTimers {
  /// The most timers of one loop that are polled; further timers go unwatched and count as lost.
  static let capacity = 1_024

  /// One timer. Retained, so that its word can be read.
  struct Entry {
    var timer: UnsafeRawPointer
    var slot: UnsafeMutableRawPointer
    var due: Nanoseconds
    var interval: Nanoseconds
  }

  private(set) var count = 0
  private let entries: UnsafeMutablePointer<Entry>
  private var lastActivity: Nanoseconds = 0
  private var lastLook: Nanoseconds = 0

  /// Takes zeroed memory for the entries.
  init(entries: UnsafeMutableRawPointer) {
    self.entries = entries.bindMemory(to: Entry.self, capacity: Self.capacity)
  }

  /// Whether there is anything to do at an activity.
  @inline(__always)
  var isActive: Bool { count != 0 }

  func entry(of timer: UnsafeRawPointer) -> Entry? {
    for place in 0..<count where entries[place].timer == timer { return entries[place] }
    return nil
  }

  /// Retains a timer and begins to poll it; false when there is no room.
  mutating func add(_ timer: CFRunLoopTimer, slot: TimerSlot) -> Bool {
    guard count < Self.capacity else { return false }
    let held = UnsafeRawPointer(Unmanaged.passRetained(timer).toOpaque())
    slot.heldTimer = held
    entries[count] = Entry(
      timer: held, slot: slot.memory, due: TimerLayout.due(held), interval: slot.interval)
    slot.counters.arm(due: entries[count].due, interval: slot.interval)
    slot.begin()
    count += 1
    return true
  }

  /// Looks at every timer, at an activity of the loop. `isOutside` says whether no run is active before the activity.
  mutating func poll(_ activity: Activity, at now: Nanoseconds, isOutside: Bool) {
    defer { lastActivity = now }
    // Nothing fires outside runs or while the loop waits; a nested run begins in a callout, which may be a timer's.
    let isAfterFires = activity == .beforeTimers || activity == .exit || activity == .entry && !isOutside
    guard isAfterFires || activity == .entry || activity == .afterWaiting else { return }
    let end = isAfterFires ? now : max(lastLook, 1)
    lastLook = now
    var place = 0
    while place < count {
      if look(at: entries + place, now: now, end: end, mayHaveFired: isAfterFires) {
        place += 1
      } else {
        count -= 1
        entries[place] = entries[count]
      }
    }
  }

  /// False when the timer has ended.
  private func look(
    at entry: UnsafeMutablePointer<Entry>, now: Nanoseconds, end: Nanoseconds, mayHaveFired: Bool
  ) -> Bool {
    let due = TimerLayout.due(entry.pointee.timer, after: entry.pointee.due, interval: entry.pointee.interval)
    let slot = TimerSlot(memory: entry.pointee.slot)
    if due == entry.pointee.due {
      // Where it may have fired it was valid before, so it needs asking only if it was due.
      if mayHaveFired && due > now || CFRunLoopTimerIsValid(TimerLayout.cf(entry.pointee.timer)) { return true }
      if mayHaveFired { served(entry.pointee, slot, now: now) }
      slot.fold?.finish(at: end)
      slot.end(at: end)
      return false
    }
    let interval = entry.pointee.interval
    if interval > 0, due > entry.pointee.due, (due - entry.pointee.due) % interval == 0 {
      served(entry.pointee, slot, now: now)
    } else {
      slot.fold?.rearm(to: due, at: now)
    }
    entry.pointee.due = due
    return true
  }

  private func served(_ entry: Entry, _ slot: TimerSlot, now: Nanoseconds) {
    let moment = min(max(entry.due, lastActivity), now)
    slot.fold?.begin(due: entry.due, interval: entry.interval, at: moment)
    slot.fold?.end(at: moment)
  }
}
