/// The time between two ticks or looks, as a command line or the environment gives it: `100ms`, or `off`.
package struct IntervalSetting: Equatable, Sendable {
  /// The interval; nil: nothing ticks or looks.
  package let nanoseconds: Nanoseconds?

  /// The interval within `range` that `text` names; nil when it names none.
  package init?(_ text: String, in range: SettingRange<Nanoseconds>) {
    if text == "off" {
      nanoseconds = nil
      return
    }
    guard let nanoseconds = range.parse(text) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The text that is read back.
  package var text: String { nanoseconds.map(DurationNotation.exact) ?? "off" }
}

extension SettingRange<Nanoseconds> {
  /// What the text of an ``IntervalSetting`` must be, in words that complete "it must be …".
  package var expectedOrOff: String { "\(expected), or 'off'" }
}
