/// Consecutive spans without a wait, under way. It stands where its first span stood.
struct BusyRun {
  /// When the first span began; 0 when there is no busy run.
  var start: Nanoseconds = 0
  var depth: UInt8 = 0
  var mode: UInt16 = 0
  var phase: Phase = .prepare
  /// The spans' sum.
  var total: Nanoseconds = 0
  /// Whether one of the spans is a stall.
  var hasStall = false
}
