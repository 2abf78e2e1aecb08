import ArgumentParser

/// The forms in which `report` answers.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.report/1`.
  case json
  /// For a pull request or a wiki.
  case markdown
  /// A page to pass around: one file that asks for no other.
  case html
}

/// The forms in which every other reading verb answers.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// The verb's own schema.
  case json
}
