import ArgumentParser

/// `stallwatch doctor [PROGRAM]`.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Says what this machine and program allow, and why not.")

  func run() throws {}
}
