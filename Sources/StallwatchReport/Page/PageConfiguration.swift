import StallwatchCore

/// How much a page shows. The limits together keep the page of a day's recording under 2 MB.
public struct PageConfiguration: Sendable {
  /// What the report shows. Of stalls, the 500 worst: each has a mark on the timeline and a row to go to.
  public var report: ReportConfiguration
  /// Slices of time in a lane, at most. Default 1,440: a minute each for a day, and one a pixel on a wide screen.
  public var slices = 1_440
  /// Slices of all lanes together, at most. Default 60,000, of some ten bytes each.
  public var allSlices = 60_000
  /// Sessions that get a timeline. Default 12.
  public var timelines = 12
  /// Loops in a timeline. Default 16.
  public var lanes = 16
  /// Causes with a flame graph. Default 20: all that a person will look at.
  public var causes = 20
  /// Functions in a flame graph. Default 1,000: less than half a pixel each on a wide screen.
  public var flames = 1_000
  /// Excluded and blind intervals in a timeline, longest first. Default 500.
  public var intervals = 500
  /// Loops whose distributions are shown, and modes of each. Default 4.
  public var distributions = 4

  /// The defaults.
  public init() {
    report = ReportConfiguration()
    report.worstStalls = 500
    report.shownRows = 25
  }
}
