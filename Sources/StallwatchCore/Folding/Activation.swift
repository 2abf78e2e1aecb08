/// A run of a loop that was entered and not left: an entry of the fold's stack. For the loop's thread.
struct Activation {
  var counters: ModeCounters
  /// The current phase.
  var phase: Phase
  /// When the current piece of the phase began: at the last activity, or when a nested run ended.
  var mark: Nanoseconds
  /// When the phase began.
  var phaseStart: Nanoseconds
  /// The length of the phase's earlier pieces, before `mark`.
  var earlier: Nanoseconds = 0
  /// When the gap began, and how long its `sources` took; the beginning is 0 while no gap is open.
  var gapStart: Nanoseconds = 0
  var gapSources: Nanoseconds = 0
  /// When the current span began; 0 without one.
  var spanStart: Nanoseconds
  /// When the span passed from its first phase to its second; 0 before that.
  var spanTurn: Nanoseconds = 0
  /// The span's first phase.
  var spanPhase: Phase

  init(counters: ModeCounters, phase: Phase, at now: Nanoseconds) {
    self.counters = counters
    self.phase = phase
    mark = now
    phaseStart = now
    spanStart = now
    spanPhase = phase
  }
}
