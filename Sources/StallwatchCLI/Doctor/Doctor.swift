import StallwatchReport

/// Looks at everything that a recording needs. One group of findings a file beside this one; a new check goes into the
/// group that it belongs to.
struct Doctor {
  /// The environment under which `record` would run.
  var environment = ProgramEnvironment()

  /// What this machine allows, and what `program` allows when one is named. Throws ``Failure`` when there is no such
  /// program.
  func examine(program: String?) throws -> DoctorReport {
    var findings = MachineFindings.all() + MonitorFindings(environment: environment).all()
    if let program { findings += try ProgramFindings(environment: environment).all(program) }
    return DoctorReport(findings: findings)
  }
}
