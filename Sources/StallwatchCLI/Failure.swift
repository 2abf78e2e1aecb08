import ArgumentParser
import StallwatchFleet
import StallwatchLibc
import StallwatchStore

/// Why a verb could not do its job: one line for stderr and an exit code.
///
/// Only this type turns errors into exit codes. A verb throws the error it met; it never prints and exits itself. A
/// verb that ends with a status of its own (`record` passes the program's through) throws `ExitCode`.
struct Failure: Error, Equatable {
  /// The documented exit codes.
  enum Status: Int32 {
    /// A budget is exceeded, or there is a regression; the answer names it.
    case exceeded = 1
    /// The command line or a file given on it cannot be used.
    case badInput = 2
    /// The monitor could not do its job.
    case unable = 3
    /// `record` found the program, but cannot run it; a shell uses the same code.
    case programNotRunnable = 126
    /// `record` did not find the program; a shell uses the same code.
    case programNotFound = 127
    /// The reader of our output went away; a shell shows this code for a process that died of SIGPIPE.
    case brokenPipe = 141
  }

  /// The exit code.
  var status: Status
  /// One line that names the thing, the reason and the remedy. Empty for a broken pipe, which needs no message.
  var message: String

  /// A failure with its message.
  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The failure for an error of another module.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as StoreError: self.init(Self.status(of: error), String(describing: error))
    case let error as ClickHouseError: self.init(Self.status(of: error), String(describing: error))
    default: self.init(.unable, String(describing: error))
    }
  }

  private static func status(of error: StoreError) -> Status {
    switch error {
    case .missing, .notAFile, .foreign, .empty, .damaged, .altered, .newer: .badInput
    case .notPermitted, .busy, .recordingBegan, .failed: .unable
    }
  }

  private static func status(of error: ClickHouseError) -> Status {
    if case .unusable = error { .badInput } else { .unable }
  }

  /// Prints `error` and ends the process with its exit code. Help and version texts go to stdout with exit code 0;
  /// everything else is one line on stderr.
  static func exit(for error: any Error) -> Never {
    if let code = error as? ExitCode { leave(code.rawValue) }
    switch StallwatchCommand.exitCode(for: error) {
    case .success:
      StallwatchCommand.exit(withError: error)
    case .validationFailure:
      let reason = oneLine(StallwatchCommand.message(for: error))
      StandardError.print("stallwatch: \(reason) (see '\(commandLine) --help')")
      leave(Status.badInput.rawValue)
    default:
      let failure = Failure(error)
      if !failure.message.isEmpty { StandardError.print("stallwatch: \(oneLine(failure.message))") }
      leave(failure.status.rawValue)
    }
  }

  /// The command, with the verb where one was given: its help explains what was expected.
  private static var commandLine: String {
    let name = CString.arguments().dropFirst().first.map { String(decoding: $0.bytes, as: UTF8.self) }
    guard let name, StallwatchCommand.verbs.contains(name) else { return "stallwatch" }
    return "stallwatch \(name)"
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func leave(_ code: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(code)
    #elseif canImport(Musl)
      Musl.exit(code)
    #else
      Darwin.exit(code)
    #endif
  }
}
