import Foundation

/// A run of a program as built beside the tests.
struct ScenarioProcess {
  /// How a run ended.
  struct Outcome {
    var status: Int32
    var output: Data
    var errors: Data

    /// Standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs a program of the build directory to its end. Its standard error may hold up to a pipe's 64 kB.
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    let errorText = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, output: text, errors: errorText)
  }
}
