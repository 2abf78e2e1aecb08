/// What a machine and a program allow: one finding per check.
package struct DoctorReport: Sendable {
  /// All findings, in the order in which to show them.
  package var findings: [DoctorFinding]

  /// A report of these findings.
  package init(findings: [DoctorFinding]) { self.findings = findings }

  /// Whether `record` works.
  package var canRecord: Bool { obstacles.isEmpty }

  /// The findings that keep `record` from working.
  package var obstacles: [DoctorFinding] { findings.filter { $0.status == .obstacle } }
}

/// The result of one check.
package struct DoctorFinding: Sendable, Equatable {
  /// What a finding means for a recording.
  package enum Status: String, Sendable {
    /// No restriction.
    case good
    /// Recording works, but something is missing or less exact.
    case limit
    /// Recording does not work.
    case obstacle
  }

  /// What was checked, in a few words.
  package var topic: String
  /// What the finding means for a recording.
  package var status: Status
  /// What was found; nil where that is unknown.
  package var value: String?
  /// The consequence and the remedy; nil where there is none.
  package var remark: String?

  /// A finding about `topic`.
  package init(_ topic: String, _ status: Status, _ value: String?, remark: String? = nil) {
    self.topic = topic
    self.status = status
    self.value = value
    self.remark = remark
  }
}
