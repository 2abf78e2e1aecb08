import StallwatchCore

/// How much a page shows. Together the limits keep the page of a day's recording under 2 MB.
package struct PageConfiguration: Sendable {
  /// The report's limits. It lists the 500 worst stalls: each has a mark on the timeline and a row to jump to.
  package var report: ReportConfiguration
  /// The most slices of time in a lane. Default 1,440: one per minute of a day, and one per pixel on a wide screen.
  package var slices = 1_440
  /// The most slices of all lanes together. Default 60,000, about ten bytes each.
  package var allSlices = 60_000
  /// The most sessions with a timeline. Default 12.
  package var timelines = 12
  /// The most loops in a timeline. Default 16.
  package var lanes = 16
  /// The most causes with a flame graph. Default 20: nobody looks at more.
  package var causes = 20
  /// The most functions in a flame graph. Default 1,000: less than half a pixel each on a wide screen.
  package var flames = 1_000
  /// The most excluded and blind intervals in a timeline, longest first. Default 500.
  package var intervals = 500
  /// The most loops with distributions, and the most modes of each. Default 4.
  package var distributions = 4

  /// A configuration with the defaults.
  package init() {
    report = ReportConfiguration()
    report.worstStalls = 500
    report.shownRows = 25
  }
}
