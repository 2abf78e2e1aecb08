/// The current busy run: consecutive spans without a wait. Depth, mode and phase are those of its first span.
struct BusyRun {
  /// When the first span began; 0 when there is no busy run.
  var start: Nanoseconds = 0
  var depth: UInt8 = 0
  var mode: UInt16 = 0
  var phase: Phase = .prepare
  /// The sum of its spans, in nanoseconds.
  var total: Nanoseconds = 0
  /// Whether one of the spans is a stall.
  var hasStall = false
}
