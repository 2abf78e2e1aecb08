import StallwatchCore

/// What a report looks at and how much of it is shown.
public struct ReportConfiguration: Sendable {
  /// A span longer than this janks. Default 16.667 ms: one frame at 60 Hz, the rate of most displays.
  public var frameBudget: Nanoseconds = 16_667 * .microsecond
  /// How many of the worst stalls a report holds. Default 100: the length of a list that a person or a page can show;
  /// `stalls` gives them all.
  public var worstStalls = 100
  /// How many loops, sessions and modes of a loop a text shows before it folds the rest into one line. Default 10.
  public var shownRows = 10
  /// How many stalls a text shows. Default 20: with the other sections still a report that is read, not searched.
  public var shownStalls = 20
  /// How many loops get their phases shown in a text. Default 3, because each takes six lines.
  public var shownPhases = 3
  /// How many profiled loops a text shows. Default 3, like ``shownPhases``.
  public var shownProfiles = 3
  /// How many functions of a call tree a text shows. Default 40: one screen.
  public var shownCalls = 40

  /// A configuration with the defaults.
  public init() {}
}
