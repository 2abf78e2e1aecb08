/// The time between two ticks of the drift probe, as a command line or the environment gives it: `100ms`, or `off`.
package struct DriftInterval: Equatable, Sendable {
  /// What a text must be, in words that complete "it must be …".
  package static let expected = "\(SettingRange.driftInterval.expected), or 'off'"

  /// The interval; nil: the probe is off.
  package let nanoseconds: Nanoseconds?

  /// The interval that `text` names; nil when it names none.
  package init?(_ text: String) {
    if text == "off" {
      nanoseconds = nil
      return
    }
    guard let nanoseconds = SettingRange.driftInterval.parse(text) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The text that is read back.
  package var text: String { nanoseconds.map(DurationNotation.exact) ?? "off" }
}
