import ArgumentParser

/// The output formats of `report`.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.report/1`.
  case json
  /// For a pull request or a wiki.
  case markdown
  /// One page that needs no other file, to pass around.
  case html
}

/// The output formats of every other reading verb.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// The verb's own schema.
  case json
}
