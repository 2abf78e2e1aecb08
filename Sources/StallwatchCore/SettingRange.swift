/// The values that a setting may have. The library, the environment and the command line all ask here, and refuse what
/// is outside: no setting is silently bent.
package struct SettingRange<Value: Comparable & Sendable>: Sendable {
  /// What it may be, with both ends.
  package let values: ClosedRange<Value>
  /// The same in words that complete "it must be …".
  package let expected: String

  /// Whether a setting may have this value.
  package func contains(_ value: Value) -> Bool { values.contains(value) }
}

extension SettingRange<Nanoseconds> {
  /// From how long on a span is a stall. Below 1 ms the watchdog itself would be busy; a day is longer than anybody
  /// waits.
  package static let threshold = SettingRange(
    values: .millisecond...86_400 * .second, expected: "a duration of 1ms or more, such as 50ms")
  /// The time between two looks at a held thread. The ends are those of ``threshold``, for the same reasons.
  package static let sampleInterval = SettingRange(
    values: .millisecond...86_400 * .second, expected: "a duration of 1ms or more, such as 10ms")
  /// The time between two ticks of the drift probe. At more than 100 ticks a second the probe's own wake-ups count, and
  /// with less than one an hour it says nothing.
  package static let driftInterval = SettingRange(
    values: 10 * .millisecond...3_600 * .second, expected: "a duration of 10ms to 1h, such as 100ms")

  /// The greatest age of what a store keeps. The last hour always keeps its finest grain; a century is for ever.
  package static let retentionAge = SettingRange(
    values: 3_600 * .second...36_500 * 86_400 * .second, expected: "a duration of 1h or more, such as 30d")

  /// The duration that `text` names; nil when it names none, or one outside the range.
  package func parse(_ text: String) -> Nanoseconds? {
    DurationNotation.parse(text).flatMap { contains($0) ? $0 : nil }
  }
}

extension SettingRange<Int> {
  /// How many times a second busy loops are looked at. Beyond 1,000 a look would still go on when the next is due.
  package static let profileRate = SettingRange(values: 1...1_000, expected: "a number of samples a second, 1 to 1000")

  /// The number that `text` names; nil when it names none, or one outside the range.
  package func parse(_ text: String) -> Int? { Int(text).flatMap { contains($0) ? $0 : nil } }
}

extension SettingRange<Int64> {
  /// The greatest size of a store, in bytes. A store without a session already takes 0.3 MB.
  package static let retentionSize = SettingRange(
    values: 1_000_000...1_000_000_000_000_000, expected: "a size of 1MB or more, such as 64MB")

  /// The size that `text` names; nil when it names none, or one outside the range.
  package func parse(_ text: String) -> Int64? {
    SizeNotation.parse(text).flatMap { contains($0) ? $0 : nil }
  }
}
