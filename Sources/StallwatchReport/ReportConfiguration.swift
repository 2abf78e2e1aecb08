import StallwatchCore

/// What a report reads and how much of it a text shows.
package struct ReportConfiguration: Sendable {
  /// A span longer than this janks. Default 16.667 ms: one frame at 60 Hz, the rate of most displays.
  package var frameBudget: Nanoseconds = 16_667 * .microsecond
  /// The figures that a report's views show. Default: all of them.
  package var catalog = Catalog.standard
  /// How many of the worst stalls a report holds. Default 100: a list for a person or a page. `stalls` lists all.
  package var worstStalls = 100
  /// How many sessions have a timeline, and how many loops of each. Default 4 and 8: a screen of lanes.
  package var timelines = 4
  package var lanes = 8
  /// The most slices of a lane. Default 240: a minute in the finest grain, 250 ms.
  package var slices = 240
  /// How many columns a text has for a lane. Default 60: with the loop's name, a line of 80.
  package var shownSlices = 60
  /// How many loops, sessions and modes of a loop a text shows before it folds the rest into one line. Default 10.
  package var shownRows = 10
  /// How many stalls a text shows. Default 20: with the other sections, still a report to read, not to search.
  package var shownStalls = 20
  /// For how many loops a text shows the phases. Default 3, because each takes six lines.
  package var shownPhases = 3
  /// How many profiled loops a text shows. Default 3, like ``shownPhases``.
  package var shownProfiles = 3
  /// How many functions of a call tree a text shows. Default 40: one screen.
  package var shownCalls = 40

  /// A configuration with the defaults.
  package init() {}
}
