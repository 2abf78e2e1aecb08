import CoreFoundation
import StallwatchCore
import StallwatchLibc

/// Wakes loops that wait although a tick is due.
extension DriftProbe {
  /// Wakes the loops for which a tick is due and asked for. The watchdog does this first when it wakes, after
  /// ``look(at:now:)``.
  func wake(_ loops: [WatchedLoop]) {
    guard !rest.isResting else { return }
    for watched in loops { wake(watched) }
  }

  /// Wakes a loop if it waits although a tick is due. Returns whether it did.
  @discardableResult
  func wake(_ watched: WatchedLoop) -> Bool {
    let region = watched.memory.region
    let due = region.tickDue
    // Asked before the rest: at most looks no tick is due.
    guard Platform.now() >= due, let drift = watched.drift, drift.wokenForNs != due,
      Platform.now() >= drift.pairing.nextDueNs
    else { return false }
    let position = region.position
    guard position.isWaiting, region.isInDrift(mode: position.mode) else { return false }
    let modes = watched.modes
    guard position.mode < modes.count else { return false }
    let mode = modes[position.mode].name
    let isWoken = watched.withLoop { loop in
      guard !isEmptied(loop, of: watched, mode: mode) else { return false }
      watched.drift?.willWake(for: due, at: Platform.now(), activities: region.ownActivities)
      // A timer that fires now is the program's own work, which makes the iteration count.
      if !hasTimerSoon(loop, mode: mode) { region.willWake(for: due) }
      CFRunLoopWakeUp(loop)
      return true
    }
    guard isWoken == true else { return false }
    wakeups += 1
    return true
  }

  /// Whether another thread has meanwhile emptied the mode that a loop waits in. Such a run waits on, and a wake-up
  /// would make it return, so the probe does not wake it.
  private func isEmptied(_ loop: CFRunLoop, of watched: WatchedLoop, mode: CFRunLoopMode) -> Bool {
    // The main queue keeps the main loop's common modes from being empty, and CF may ask it on the main thread only.
    guard !watched.isMain, let finished = Self.isFinished else { return false }
    return finished(loop, mode) != 0
  }

  private typealias IsFinished = @convention(c) (CFRunLoop, CFRunLoopMode) -> UInt8
  /// CF's own test whether a run in a mode would end at once. It is not in the headers, so it is looked up by name.
  private static let isFinished: IsFinished? = {
    #if canImport(Glibc)
      let anywhere: UnsafeMutableRawPointer? = nil
    #else
      let anywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #endif
    return dlsym(anywhere, "_CFRunLoopFinished").map { unsafeBitCast($0, to: IsFinished.self) }
  }()

  /// Whether a timer of the mode is due before the loop would have waited again, or is overdue. A timer of the tick's
  /// own interval may be due at every tick. Wrong for a moment after a step of the wall clock, by which CF counts dates.
  private func hasTimerSoon(_ loop: CFRunLoop, mode: CFRunLoopMode) -> Bool {
    let date = CFRunLoopGetNextTimerFireDate(loop, mode)
    // 0 means none.
    return date != 0 && date - CFAbsoluteTimeGetCurrent() < Double(LoopFold.longestTickWake) / 1e9
  }
}
