import CoreFoundation
import Foundation

/// Takes one loop through its plan. Between steps the loop waits for `idle`, so that each hold is alone in its span.
///
/// Everything but the initialiser runs on the loop's own thread, so the class may claim to be Sendable.
final class LoopDriver: @unchecked Sendable {
  let plan: Plan.Loop
  private let idle: Nanoseconds
  private let keeper: LockKeeper
  private let filler: FileFiller
  let truth: TruthWriter
  let loop: CFRunLoop
  let thread = ThreadFacts()
  /// The modes that have a source that keeps their runs going.
  var preparedModes: Set<String> = []
  /// Timers that run beside the plan.
  var timers: [CountedTimer] = []
  /// Modes as CF values, by name.
  var modeNames: [String: CFRunLoopMode] = [:]
  /// The number of active runs.
  private var depth = 0
  private var position = 0
  private var pacedPosition = -1
  private var delayAtLastHold: Nanoseconds?
  private var lastHoldEndedNs = MonotonicClock.now
  /// The shortest delay that gets a line, 1 ms. A shorter one cannot turn a near-miss into a stall.
  private static let delayWorthALine: Nanoseconds = 1_000_000

  /// A driver for the calling thread's loop; no other thread may use it. Its helper threads' names contain `number`.
  init(_ plan: Plan.Loop, number: Int, idle: Nanoseconds, truth: TruthWriter) {
    self.plan = plan
    self.idle = idle
    keeper = LockKeeper(number: number)
    filler = FileFiller(number: number)
    self.truth = truth
    loop = CFRunLoopGetCurrent()
  }

  /// Runs the loop until the plan is done.
  func run() {
    delayAtLastHold = thread.runDelay
    while position < plan.steps.count {
      if pacedPosition != position { pace() }
      runLoop(in: plan.steps[position].mode)
    }
    noteDelay(thread.runDelay, until: MonotonicClock.now)
  }

  /// Runs the loop in the default mode until the group is empty.
  func turn(until group: DispatchGroup) {
    prepare(ModeName.standard)
    group.notify(queue: .main) { [self] in CFRunLoopStop(loop) }
    runLoop(in: ModeName.standard)
  }

  private func runLoop(in mode: String) {
    prepare(mode)
    depth += 1
    CFRunLoopRunInMode(modeName(mode), .greatestFiniteMagnitude, false)
    depth -= 1
  }

  // MARK: Steps

  /// Sets the timer that begins the next step.
  private func pace() {
    let step = plan.steps[position]
    pacedPosition = position
    addTimer(after: idle, in: step.mode) { [self] in begin(step) }
  }

  private func begin(_ step: Step) {
    guard step.nested.isEmpty else {
      return call(from: step.nested[0].callout, in: step.mode) { [self] in
        runNested(step, level: 0)
        advance()
      }
    }
    guard let hold = step.hold else { return advance() }
    call(for: hold, of: step, in: step.mode) { [self] in
      perform(hold, number: step.number)
      advance()
    }
  }

  /// Ends the step. The next step stays in the same run if it has the same mode.
  private func advance() {
    position += 1
    if position < plan.steps.count, plan.steps[position].mode == plan.steps[position - 1].mode {
      pace()
    } else {
      CFRunLoopStop(loop)
    }
  }

  /// Runs the loop again from within a callout. It keeps turning, with the hold or a deeper run in the middle.
  private func runNested(_ step: Step, level: Int) {
    let run = step.nested[level]
    var line = TruthLine(.nested)
    line.startedNs = MonotonicClock.now
    prepare(run.mode)
    let turning = addTimer(after: run.turn, repeatedly: true, in: run.mode) {}
    var isOpen = true
    let close = { [self] in
      _ = addTimer(after: run.after, in: run.mode) { [self] in
        isOpen = false
        CFRunLoopStop(loop)
      }
    }
    addTimer(after: run.before, in: run.mode) { [self] in
      if level + 1 < step.nested.count {
        call(from: step.nested[level + 1].callout, in: run.mode) { [self] in
          runNested(step, level: level + 1)
          close()
        }
      } else if let hold = step.hold {
        call(for: hold, of: step, in: run.mode) { [self] in
          perform(hold, number: step.number)
          close()
        }
      } else {
        close()
      }
    }
    while isOpen { runLoop(in: run.mode) }
    CFRunLoopTimerInvalidate(turning)

    line.number = step.number
    line.loop = plan.name
    line.threadID = thread.id
    line.mode = run.mode
    line.depth = depth + 1
    line.durationNs = MonotonicClock.now - line.startedNs!
    truth.append(line)
  }

  // MARK: Holds

  private func perform(_ hold: Hold, number: Int) {
    let delayBefore = thread.runDelay
    var line = TruthLine(.stallBegan)
    line.number = number
    line.loop = plan.name
    line.threadID = thread.id
    line.mode = currentModeName
    line.depth = depth
    line.how = hold.how
    line.lock = hold.lock
    line.callout = hold.callout
    line.activity = hold.activity
    line.startedNs = MonotonicClock.now
    noteDelay(delayBefore, until: line.startedNs!)
    truth.append(line)

    let startedNs = MonotonicClock.now
    carryOut(hold)
    lastHoldEndedNs = MonotonicClock.now
    delayAtLastHold = thread.runDelay

    line.kind = .stall
    line.startedNs = startedNs
    line.durationNs = lastHoldEndedNs - startedNs
    if let delayBefore, let delayAtLastHold { line.runDelayNs = delayAtLastHold - delayBefore }
    truth.append(line)
  }

  private func carryOut(_ hold: Hold) {
    switch hold.how {
    case .spin: spinStall(hold.length)
    case .usleep: sleepStall(hold.length)
    case .lock: lockStall(hold.length, lock: hold.lock ?? .pthread, keeper: keeper)
    case .fsync: fsyncStall(hold.length, filler: filler)
    case .allocation: allocationStall(hold.length)
    }
  }

  /// Writes a line if the machine delayed this thread between two holds.
  private func noteDelay(_ delay: Nanoseconds?, until now: Nanoseconds) {
    guard let delay, let delayAtLastHold, delay - delayAtLastHold > Self.delayWorthALine else { return }
    var line = TruthLine(.preempted)
    line.loop = plan.name
    line.threadID = thread.id
    line.startedNs = lastHoldEndedNs
    line.durationNs = now - lastHoldEndedNs
    line.runDelayNs = delay - delayAtLastHold
    truth.append(line)
  }
}
