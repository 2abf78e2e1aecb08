import StallwatchCore

/// How much a page shows. Together the limits keep the page of a day with 30,000 stalls under 3 MB.
package struct PageConfiguration: Sendable {
  /// The report's limits. It lists the 300 worst stalls: each has a row without JavaScript, and a story.
  package var report: ReportConfiguration
  /// The most slices of time in a lane, for its modes. Default 1,440: one per minute of a day.
  package var slices = 1_440
  /// The most slices of all lanes together, for their modes. Default 60,000.
  package var allSlices = 60_000
  /// The most slices of busy time of all lanes together while the page is made, 8 bytes each. Default 1.5 million: four
  /// loops for a day, in slices of 250 ms.
  package var busySlices = 1_500_000
  /// The most bytes of busy time on the page. Default 500,000. Where it would take more, slices are longer.
  package var busyBytes = 500_000
  /// The most sessions with a timeline. Default 12.
  package var timelines = 12
  /// The most loops with a lane of their own in a timeline. Default 16. Stalls of the others share one.
  package var lanes = 16
  /// The most stalls with a mark, longest first. Default 60,000, about 10 bytes each, and what runs take.
  package var marks = 60_000
  /// The most different annotations of all stalls together, those of the longest stalls first. Default 5,000: they are
  /// text of the program's own, which may differ from stall to stall and take a hundred times what a mark does.
  package var notes = 5_000
  /// The most runs of looks of all stalls together, about 6 bytes each. Default 150,000. A stall has at least 2 and at
  /// most 32.
  package var runs = 150_000
  /// The most functions in all call paths together, about 4 bytes each. Default 40,000.
  package var stacks = 40_000
  /// The most causes. Default 50. The stalls of others have the cause "other".
  package var causes = 50
  /// The most profiled loops, the busiest first. Default 12.
  package var profiles = 12
  /// The most stacks of a loop's profile, heaviest first. Default 5,000.
  package var profiledStacks = 5_000
  /// The most excluded and blind intervals in a timeline, longest first. Default 500.
  package var intervals = 500
  /// The most loops with distributions, and the most modes of each. Default 4.
  package var distributions = 4

  /// A configuration with the defaults.
  package init() {
    report = ReportConfiguration()
    report.worstStalls = 300
    report.shownRows = 25
    // The page has finer ones of its own.
    report.timelines = 0
  }
}
