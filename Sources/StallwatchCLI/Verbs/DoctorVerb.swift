import ArgumentParser
import StallwatchFormats
import StallwatchLibc

/// `stallwatch doctor [PROGRAM]`: whether recording is possible, and why not.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Reports what this machine and a program allow, and what prevents the rest.",
    discussion: """
      Exits with 0 when recording is possible and with 3 when it is not. JSON has the schema stallwatch.doctor/1.

      Examples:

        stallwatch doctor
        stallwatch doctor ./App
        stallwatch doctor swift --format json
      """)

  @Argument(help: "A program as you would give it to 'record'.", completion: .file())
  var program: String?

  @Option(help: "The output format.")
  var format: ListFormat = .text

  func run() throws {
    let report = try Doctor().examine(program: program)
    try OutputDestination.writeToStandardOutput { sink in
      switch format {
      case .text: try sink(DoctorTextRenderer(style: Terminal.style(for: STDOUT_FILENO)).render(report))
      case .json: try DoctorJSONRenderer().render(report, into: sink)
      }
    }
    if let first = report.obstacles.first {
      throw Failure(.unable, "recording is not possible: \(first.topic): \(first.value ?? "unknown")")
    }
  }
}
