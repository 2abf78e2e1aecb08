import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// The labels of a session, or those that sessions have in common, as keys of the current object: null for what is
  /// unknown, not set, or different.
  mutating func labels(_ labels: CommonLabels?) throws {
    let release = labels?[.release]
    let environment = labels?[.environment]
    try field("service", labels?[.service])
    try field("release", release == CompleteLabels.unknown ? nil : release)
    try field("environment", environment == "" ? nil : environment)
    try field("instance", labels?[.instance])
    try key("tags")
    try object(inline: true) { writer in
      for (name, value) in (labels?.tags ?? [:]).sorted(by: { $0.key < $1.key }) { try writer.field(name, value) }
    }
  }
}
