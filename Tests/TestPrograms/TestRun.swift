import Foundation

/// What came of a program that a test ran.
public struct TestRun: Sendable {
  /// What it wrote to stdout.
  public var output: Data
  /// What it wrote to stderr.
  public var errors: Data
  /// What a shell's `$?` shows: 128 + n for signal n.
  public var exitCode: Int32

  /// stdout as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// stderr as text.
  public var errorText: String { String(decoding: errors, as: UTF8.self) }
  /// The lines of stdout.
  public var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// Runs `command`, program first with its path, and waits for it.
  ///
  /// - Parameters:
  ///   - environment: what is added to the test's own environment, in which nobody has set what Stallwatch or Swift's
  ///     backtraces go by.
  ///   - directory: where it runs; nil for where the test runs.
  ///   - input: what it reads on stdin.
  ///   - whileRunning: called with its process id once it has started.
  public static func run(
    _ command: [String], environment: [String: String] = [:], directory: String? = nil, input: Data = Data(),
    whileRunning: (Int32) throws -> Void = { _ in }
  ) throws -> TestRun {
    let files = try TestDirectory()
    for (name, content) in [("in", input), ("out", Data()), ("err", Data())] {
      try content.write(to: URL(fileURLWithPath: files.file(name)))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    let own = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("STALLWATCH_") && !$0.key.hasPrefix("SWIFT_BACKTRACE")
    }
    process.environment = own.merging(environment) { $1 }
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardInput = FileHandle(forReadingAtPath: files.file("in"))
    process.standardOutput = FileHandle(forWritingAtPath: files.file("out"))
    process.standardError = FileHandle(forWritingAtPath: files.file("err"))
    try withSignalsOpen { try process.run() }
    try whileRunning(process.processIdentifier)
    process.waitUntilExit()
    let status = process.terminationStatus
    return TestRun(
      output: try Data(contentsOf: URL(fileURLWithPath: files.file("out"))),
      errors: try Data(contentsOf: URL(fileURLWithPath: files.file("err"))),
      exitCode: process.terminationReason == .uncaughtSignal ? 128 + status : status)
  }

  /// Calls `body` with no signal blocked: a test runs on a worker of Dispatch, which blocks most, and programs inherit
  /// it.
  private static func withSignalsOpen(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  /// Runs a text in `/bin/sh`.
  public static func shell(
    _ script: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
    input: Data = Data(), whileRunning: (Int32) throws -> Void = { _ in }
  ) throws -> TestRun {
    try run(
      ["/bin/sh", "-c", script, "sh"] + arguments, environment: environment, directory: directory, input: input,
      whileRunning: whileRunning)
  }
}
