import StallwatchReport

/// Checks all that a recording needs. Each group of findings has a file beside this one; a new check joins its group.
struct Doctor {
  /// The environment under which `record` would run.
  var environment = ProgramEnvironment()

  /// What this machine allows, and what `program` allows if given. Throws ``Failure`` when there is no such program.
  func examine(program: String?) throws -> DoctorReport {
    var findings = MachineFindings.all() + MonitorFindings(environment: environment).all()
    if let program { findings += try ProgramFindings(environment: environment).all(program) }
    return DoctorReport(findings: findings)
  }
}
