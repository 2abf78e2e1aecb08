import Foundation

/// A run of `stallwatch-workload`, as built beside the tests.
struct WorkloadProcess {
  private static let program = Bundle.main.bundleURL.appending(path: "stallwatch-workload")
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  /// How a run ended.
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Starts it.
  init(_ arguments: [String]) throws {
    process.executableURL = Self.program
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  /// Runs it to its end.
  static func run(_ arguments: String...) throws -> Outcome { try WorkloadProcess(arguments).finish() }

  /// Waits for its end.
  func finish() throws -> Outcome {
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    let errorText = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: errorText, as: UTF8.self))
  }

  /// Kills it with SIGKILL.
  func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
}

/// A directory of a test's own.
final class TemporaryDirectory {
  /// Where it is.
  let url = FileManager.default.temporaryDirectory.appending(path: "workload-tests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  func path(_ name: String) -> String { url.appending(path: name).path }
}

/// JSON lines as dictionaries.
func jsonLines(_ text: String) throws -> [[String: Any]] {
  try text.split(separator: "\n").map { line in
    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
  }
}
