/// One run of a loop in one mode that has been entered and not left: an entry of the fold's stack.
struct Activation {
  var counters: ModeCounters
  /// The phase under way.
  var phase: Phase
  /// When the current piece of the phase began: at the last activity, or when a nested run ended.
  var mark: Nanoseconds
  /// When the phase began.
  var phaseStart: Nanoseconds
  /// The phase's earlier pieces, before the mark.
  var earlier: Nanoseconds = 0
  /// When the gap began, and the part of it that `sources` took; 0 while no gap is open.
  var gapStart: Nanoseconds = 0
  var gapSources: Nanoseconds = 0
  /// When the current span began.
  var spanStart: Nanoseconds
  /// When the span passed from its first phase to its second.
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
