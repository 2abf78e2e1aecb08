import StallwatchReport

extension ReportSection {
  /// The sections of a whole report, in reading order.
  static func all(of report: Report, configuration: ReportConfiguration) -> [ReportSection] {
    let before = [
      CausesSection.section(report, limit: configuration.shownRows),
      SessionsSection.section(report, limit: configuration.shownRows),
      ResponsivenessSection.section(report, limit: configuration.shownRows),
      PhasesSection.section(report, limit: configuration.shownPhases),
      QueuesSection.section(report, limit: configuration.shownRows),
      StallsSection.section(report, limit: configuration.shownStalls),
    ].compactMap(\.self)
    let timeline = TimelineSection.section(report, columns: configuration.shownSlices)
    let profiles = ProfilesSection.sections(
      report, limit: configuration.shownProfiles, rows: configuration.shownCalls)
    let timers = TimersSection.section(report, limit: configuration.shownRows)
    let drift = DriftSection.section(report, limit: configuration.shownPhases, plots: false)
    return before + [timeline].compactMap(\.self) + profiles + [timers, drift].compactMap(\.self) + [
      HealthSection.coverage(report), HealthSection.cost(report),
    ]
  }
}
