import CStallwatch
import StallwatchCore

/// Thins the ticks out while the program rests.
///
/// A tick at rest is asked of one loop, of each in turn, so that many loops cost no more wake-ups than one. It wakes no
/// thread of Dispatch's: the watchdog, which sleeps until the same moment by a timer of the kernel's, is the control.
/// The figures of these ticks wait until there are others to be written.
extension DriftProbe {
  /// The most ticks that wait at rest: those of an hour.
  private static let mostKept = 60

  /// Looks whether the program rests, leaves out what came due at rest since the last look, and asks a loop for its tick
  /// if one is due. Call it before the loops' reports are taken.
  func look(at loops: [WatchedLoop], now: Nanoseconds) {
    takeFires()
    let wasResting = rest.isResting
    let isIdle = Schedule.isIdle(loops, at: now) && !loops.contains { $0.memory.region.threadHasEnded }
    let step = rest.look(activities: Schedule.activities(of: loops), isIdle: isIdle, control: control, at: now)
    if rest.isResting, !wasResting { pause() }
    let asked = step.asked.flatMap { ask(for: $0, in: step.due, of: loops, at: now) }
    for watched in loops where watched.id != asked { watched.drift?.pairing.leaveOut(step.due) }
  }

  /// Ends the rest, so that what waits is handed on.
  func endRest(of loops: [WatchedLoop], at now: Nanoseconds) {
    let step = rest.end(at: now)
    for watched in loops { watched.drift?.pairing.leaveOut(step.due) }
  }

  /// Takes complete ticks, and returns those that are to be handed on now.
  func release(_ ticks: [DriftTick]) -> [DriftTick] {
    kept += ticks
    return rest.isResting && kept.count < Self.mostKept ? [] : takeKept()
  }

  /// Removes and returns the ticks that wait.
  func takeKept() -> [DriftTick] {
    defer { kept.removeAll() }
    return kept
  }

  /// Wakes the next loop that waits for tick `number`, one of those that came due. Returns which.
  private func ask(for number: UInt64, in due: Range<UInt64>, of loops: [WatchedLoop], at now: Nanoseconds) -> LoopID? {
    control.pass(to: number)
    control.fire(number, lateness: now.since(grid.due(number)))
    let inOrder = loops.sorted { $0.id < $1.id }
    let first = inOrder.firstIndex { watched in lastAsked.map { watched.id > $0 } ?? true } ?? 0
    for watched in inOrder[first...] + inOrder[..<first] {
      watched.drift?.pairing.leaveOut(due.lowerBound..<number)
      let tickDue = watched.memory.region.tickDue
      guard wake(watched) else { continue }
      stay(until: watched.memory.region, hasServed: tickDue)
      watched.drift?.pairing.leaveOut(number + 1..<due.upperBound)
      lastAsked = watched.id
      return watched.id
    }
    return nil
  }

  /// Waits until a loop has served the tick that was due at `due` and waits again, so that the watchdog can park at
  /// once: if it slept meanwhile, it would have to wake once more. The kernel mostly wakes the loop's thread on this
  /// processor. So this thread's turn is short from here on, and it makes a system call again and again, at which the
  /// kernel lets the other thread have the processor.
  private func stay(until region: LoopRegion, hasServed due: Nanoseconds) {
    stallwatch_short_turns(true)
    let end = Platform.now() + LoopFold.longestTickWake
    while region.tickDue == due || region.isInTickWake || region.position.spanStart != nil, Platform.now() < end {
      _ = Platform.threadCPU()
    }
  }
}
