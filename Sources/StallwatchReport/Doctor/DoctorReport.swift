/// What a machine and a program allow: one finding for each thing that was looked at.
public struct DoctorReport: Sendable {
  /// All findings, in the order in which they are read.
  public var findings: [DoctorFinding]

  /// A report.
  public init(findings: [DoctorFinding]) { self.findings = findings }

  /// Whether `record` can do its job.
  public var canRecord: Bool { obstacles.isEmpty }

  /// What keeps `record` from its job.
  public var obstacles: [DoctorFinding] { findings.filter { $0.status == .obstacle } }
}

/// One thing that was looked at.
public struct DoctorFinding: Sendable, Equatable {
  /// What it means for a recording.
  public enum Status: String, Sendable {
    /// As it should be.
    case good
    /// Recording works, but something is not to be had or not as exact.
    case limit
    /// Recording does not work.
    case obstacle
  }

  /// What was looked at, in a few words.
  public var topic: String
  /// What it means.
  public var status: Status
  /// What was found; nil when it could not be found out.
  public var value: String?
  /// What follows from it and what to do; nil when nothing does.
  public var remark: String?

  /// A finding.
  public init(_ topic: String, _ status: Status, _ value: String?, remark: String? = nil) {
    self.topic = topic
    self.status = status
    self.value = value
    self.remark = remark
  }
}
