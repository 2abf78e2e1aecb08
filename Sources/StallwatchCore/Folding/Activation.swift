/// A run of a loop that was entered and not left: an entry of the fold's stack. For the loop's thread.
struct Activation {
  var counters: ModeCounters
  /// Mode and depth.
  var place: PlaceWord
  /// The current phase.
  var phase: Phase = .prepare
  /// When the phase began, later by the time in it that is not its own: of nested runs, and unobserved.
  var phaseStart: Nanoseconds
  /// Where the phase really began if `phaseStart` was moved, and where it was moved to. Holds only while `phaseStart`
  /// is there, so that a new phase has nothing to reset.
  private(set) var moved: (from: Nanoseconds, to: Nanoseconds) = (0, 0)
  /// When the run was last paused or resumed.
  private var turned: Nanoseconds = 0
  /// When the gap of the current wait began, 0 if it has none, and how long its `sources` took.
  var gapStart: Nanoseconds = 0
  var gapSources: Nanoseconds = 0
  /// When the current span began; 0 without one.
  var spanStart: Nanoseconds
  /// The place that the region showed when the span began.
  var spanPlace: PlaceWord

  /// A run that is in `phase` from `now` on, at a depth from 1.
  init(counters: ModeCounters, depth: Int, phase: Phase = .prepare, at now: Nanoseconds) {
    self.counters = counters
    self.phase = phase
    place = PlaceWord(mode: counters.index, depth: depth)
    phaseStart = now
    spanStart = now
    spanPlace = place.with(phase, span: now)
  }

  /// When a phase really began whose `phaseStart` is or was this.
  @inline(__always)
  func began(_ start: Nanoseconds) -> Nanoseconds { start == moved.to ? moved.from : start }

  /// Begins a span in the current phase.
  mutating func beginSpan(at now: Nanoseconds) {
    spanStart = now
    spanPlace = place.with(phase, span: now)
  }

  /// The last moment at which the run was seen.
  var lastSeen: Nanoseconds { max(phaseStart, spanStart, turned) }

  /// Takes the time between two moments out of the phase: the run was last seen at `start`, and is again now.
  mutating func leaveOut(from start: Nanoseconds, until now: Nanoseconds) {
    let began = began(phaseStart)
    phaseStart &+= now.since(start)
    moved = (began, phaseStart)
    turned = now
  }

  /// Notes that another run is nested in this one from now on, until ``leaveOut(from:until:)``.
  mutating func pause(at now: Nanoseconds) { turned = now }
}
