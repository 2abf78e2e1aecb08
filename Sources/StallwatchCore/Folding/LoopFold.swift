/// Folds a loop's activities into counters, as they happen, on the loop's own thread.
///
/// Each call does a bounded amount of work (O(1), but O(depth²) at the entry and exit of nested runs), allocates
/// nothing, takes no lock and reads no clock. Durations of at least the threshold, which are rare, go into the queue.
/// Everything else ends in counters that only grow.
package struct LoopFold: ~Copyable {
  /// How many nested runs have figures of their own; deeper ones are counted, and the time in them is unobserved. CF
  /// programs nest two or three deep (a modal panel in a tracking loop); 32 leaves an order of magnitude.
  package static let maximumDepth = 32
  /// The longest pause outside any run that does not end a busy run: `RunLoop.run` leaves and enters again after every
  /// source and main-queue batch, which takes 1–5 µs.
  package static let reentry: Nanoseconds = 1 * .millisecond
  /// The memory that the stack of activations takes, in bytes.
  package static let stackByteCount = maximumDepth * MemoryLayout<Activation>.stride

  let region: LoopRegion
  let threshold: Nanoseconds
  let startedNs: Nanoseconds
  /// The drift probe's due times; nil with the probe off.
  let grid: DueGrid?
  let stack: UnsafeMutablePointer<Activation>
  /// How many runs are active on the stack.
  var depth = 0
  /// The innermost of them. The stack's first place outside any run.
  var top: UnsafeMutablePointer<Activation>
  /// The address of its mode's counters; 0 outside any run, while runs are nested deeper than the
  /// stack, and while the fold keeps activities back.
  var current: UInt = 0
  /// How many runs are active beyond the stack; ``inTickWake`` while the fold keeps activities back.
  var overflow = 0
  /// When the outermost run ended; 0 inside a run and before the first.
  var leftAt: Nanoseconds = 0
  /// When the top of the stack last changed; starvation counts from then.
  var topSince: Nanoseconds = 0
  /// The current busy run.
  var busy = BusyRun()
  /// The activity that ``take(in:at:_:)`` last left to its caller. Kept here, so that the caller does not have to.
  package private(set) var left = Activity(rawValue: 0)
  /// The activities that the fold keeps back.
  var tickWake = TickWake()

  /// A fold over memory that its owner keeps in place: `stackMemory` has ``stackByteCount`` bytes, aligned to 8.
  /// `startedNs` is when watching began, 0 to ignore the time before the first activity; `grid` is the drift probe's,
  /// used once the loop's ticks begin (``LoopRegion/beginTicks(of:after:)``).
  package init(
    region: LoopRegion, threshold: Nanoseconds, startedNs: Nanoseconds = 0, grid: DueGrid? = nil,
    stackMemory: UnsafeMutableRawPointer
  ) {
    self.region = region
    self.threshold = threshold
    self.startedNs = startedNs
    self.grid = grid
    stack = stackMemory.bindMemory(to: Activation.self, capacity: Self.maximumDepth)
    top = stack
  }

  /// What an observer has to do once an activity is folded.
  package enum Outcome: Sendable {
    /// Nothing.
    case folded
    /// To wake a parked watchdog: the loop passed from waiting, or from outside any run, to being held.
    case woke
    /// To look at what is rare, then to count the activity, ``LoopFold/left``, and to fold it.
    case rare
  }

  /// Counts an activity of the loop, not a set, and folds it, as one in the mode of `counters`; does neither if
  /// something rare is due (``LoopRegion/attend(from:)``).
  package mutating func take(in counters: ModeCounters, at now: Nanoseconds, _ activity: Activity) -> Outcome {
    guard region.countPlainActivity() else {
      left = activity
      return .rare
    }
    return foldUsually(in: counters, at: now, activity)
  }

  /// Folds one activity of the loop, not a set, in the mode of `counters`.
  ///
  /// Returns true when the loop passed from waiting, or from outside any run, to being held. At that moment a parked
  /// watchdog must be woken.
  package mutating func observe(_ activity: Activity, in counters: ModeCounters, at now: Nanoseconds) -> Bool {
    foldUsually(in: counters, at: now, activity) == .woke
  }

  /// Folds any activity; slower than ``foldUsually(in:at:_:)``, which uses it where something is unusual.
  @inline(never)
  mutating func fold(in counters: ModeCounters, at now: Nanoseconds, _ activity: Activity) -> Outcome {
    let woke =
      if activity == .entry {
        enter(counters, at: now)
      } else if current == counters.address {
        proceed(activity, at: now)
      } else {
        align(activity, in: counters, at: now) ?? proceed(activity, at: now)
      }
    return woke ? .woke : .folded
  }

  /// Folds an activity of the run on top, not its entry. Returns whether the loop had waited and is now held.
  private mutating func proceed(_ activity: Activity, at now: Nanoseconds) -> Bool {
    let top = top
    let (phase, start) = (top.pointee.phase, top.pointee.phaseStart)
    switch activity {
    case .beforeTimers:
      top.pointee.counters.iterated()
      // `prepare` goes on from the entry to the first iteration's beforeSources.
      if phase != .prepare { closePhase(top, opening: .prepare, at: now) }
      return turn(top, from: phase, since: start, at: now)
    case .beforeSources:
      closePhase(top, opening: .sources, at: now)
      if top.pointee.spanStart == 0 { return turn(top, from: phase, since: start, at: now) }
      show(top)
      return false
    case .beforeWaiting:
      let duration = closePhase(top, opening: .waiting, at: now)
      top.pointee.gapStart = phase == .sources ? top.pointee.began(start) : 0
      top.pointee.gapSources = duration
      closeSpan(top, in: phase, since: start, at: now)
      endBusyRun(at: now)
      // Before the loop rests: a thread that sees it rest from now on finds a tick that is yet to come.
      if region.isTickDue(at: now) { serveTick(in: top.pointee.counters, at: now) }
      show(top)
      region.rest(from: now)
      return false
    case .afterWaiting:
      // The tick comes first, in place of the check in other turns: a loop that was woken for it may wait on.
      if phase != .waiting || region.isTickDue(at: now), let woke = wakeRarely(top, at: now) { return woke }
      let waited = closePhase(top, opening: .service, at: now)
      closeGap(top, waited: waited, at: now)
      return turn(top, from: phase, since: start, at: now, servesTick: false)
    case .exit:
      return leave(at: now)
    default:
      return false
    }
  }

  /// Passes to the next span, at a heartbeat that ended a phase which began at `start`. Returns true when there was no
  /// span before: the loop had waited.
  mutating func turn(
    _ top: UnsafeMutablePointer<Activation>, from phase: Phase, since start: Nanoseconds, at now: Nanoseconds,
    servesTick: Bool = true
  ) -> Bool {
    let held = top.pointee.spanStart != 0
    closeSpan(top, in: phase, since: start, at: now)
    top.pointee.beginSpan(at: now)
    if servesTick, region.isTickDue(at: now) { serveTick(in: top.pointee.counters, at: now) }
    show(top)
    if held { region.hold(from: now) } else { region.wake(at: now) }
    return !held
  }

  func show(_ top: UnsafeMutablePointer<Activation>) {
    region.stand(top.pointee.place.with(top.pointee.phase, span: top.pointee.spanStart))
  }
}
