/// The time between two ticks of the drift probe, as it is given on the command line and in the environment: a duration, or
/// `off`.
public struct DriftInterval: Equatable, Sendable {
  /// What it may be: at more than 100 ticks a second the probe's own wake-ups count, and with less than one an hour it tells
  /// nothing.
  public static let range: ClosedRange<Nanoseconds> = 10 * .millisecond...3_600 * .second
  /// What a text must be, in words that complete "it must be …".
  public static let expected = "a duration of 10ms to 1h, such as 100ms, or 'off'"

  /// The interval; nil: the probe is off.
  public let nanoseconds: Nanoseconds?

  /// The interval that `text` names; nil when it names none.
  public init?(_ text: String) {
    if text == "off" {
      nanoseconds = nil
      return
    }
    guard let nanoseconds = DurationNotation.parse(text), Self.range.contains(nanoseconds) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The text that is read back.
  public var text: String { nanoseconds.map(DurationNotation.exact) ?? "off" }
}
