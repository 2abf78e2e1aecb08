extension ReportSection {
  /// The parts of a whole report, in the order in which they are read.
  static func all(of report: Report, configuration: ReportConfiguration) -> [ReportSection] {
    [
      SessionsSection.section(report, limit: configuration.shownRows),
      ResponsivenessSection.section(report, limit: configuration.shownRows),
      PhasesSection.section(report, limit: configuration.shownPhases),
      StallsSection.section(report, limit: configuration.shownStalls),
      HealthSection.coverage(report),
      HealthSection.cost(report),
    ]
  }
}
