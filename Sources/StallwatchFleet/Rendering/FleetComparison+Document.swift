import StallwatchCore
import StallwatchFormats
import StallwatchReport

extension FleetComparison {
  /// The comparison as a document.
  package func document(limit: Int = 30) -> FleetDocument {
    let (base, new) = (DisplayText.name(releases.base), DisplayText.name(releases.new))
    return FleetDocument(
      title: "Stallwatch fleet: \(service) \(releases.base) and \(releases.new)",
      verdict: "\(DisplayText.name(service)), release \(new) beside \(base): "
        + ComparisonWords.verdict(comparison),
      mood: comparison.isRegression ? .bad : .good, sections: ComparisonSections.all(comparison, limit: limit),
      flame: nil, command: "diff", json: write)
  }

  private func write(to writer: inout JSONWriter) throws {
    try writer.field("service", service)
    try writer.field("base_release", releases.base)
    try writer.field("new_release", releases.new)
    try writer.key("comparison")
    try writer.object { try ComparisonJSONRenderer.write(comparison, to: &$0) }
  }
}
