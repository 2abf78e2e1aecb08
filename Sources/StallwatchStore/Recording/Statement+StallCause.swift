import StallwatchCore

extension Statement {
  /// Sets the parameter at `position` and the two after it to running, blocked and starved time.
  func bind(_ cause: StallCause?, at position: Int32) {
    bind((cause?.running).map { min($0, SampleLimits.longestTime) }, at: position)
    bind((cause?.blocked).map { min($0, SampleLimits.longestTime) }, at: position + 1)
    bind((cause?.starved).map { min($0, SampleLimits.longestTime) }, at: position + 2)
  }
}
