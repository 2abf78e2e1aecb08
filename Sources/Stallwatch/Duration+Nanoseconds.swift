import StallwatchCore

extension Duration {
  /// The duration of so many nanoseconds.
  init(nanoseconds: Nanoseconds) {
    self.init(
      secondsComponent: Int64(nanoseconds / .second),
      attosecondsComponent: Int64(nanoseconds % .second) * Self.attosecondsPerNanosecond)
  }

  /// The same in nanoseconds, rounded down; nil below 0 and beyond what 64 bits hold.
  var nanoseconds: Nanoseconds? {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return nil }
    let (whole, overflow) = Nanoseconds(seconds).multipliedReportingOverflow(by: .second)
    let (sum, carry) = whole.addingReportingOverflow(Nanoseconds(attoseconds / Self.attosecondsPerNanosecond))
    return overflow || carry ? nil : sum
  }

  private static var attosecondsPerNanosecond: Int64 { 1_000_000_000 }
}
