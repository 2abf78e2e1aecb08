import ArgumentParser
import StallwatchFleet
import StallwatchLibc

/// As whom a verb asks a server, and what it trusts. The password stands in a file or in the environment: every program
/// of the machine can read a command line.
struct ServerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The user, in place of the one in the URL.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password. Without it: the variable STALLWATCH_PASSWORD, if it is set.",
      valueName: "file"),
    completion: .file())
  var passwordFile: String?

  @Option(
    help: ArgumentHelp("A file with the certificates that are trusted, in place of the system's.", valueName: "file"),
    completion: .file())
  var certificates: String?

  /// The server of a URL. Throws ``Failure``.
  func server(at url: String) throws -> ClickHouseServer {
    var server = try ClickHouseServer(url: url)
    if let user { server.user = user }
    server.certificates = certificates
    server.password = try password().map(ClickHouseServer.Secret.init)
    return server
  }

  /// The password; nil without one. Throws ``Failure``.
  func password() throws -> String? {
    guard let passwordFile else {
      return getenv("STALLWATCH_PASSWORD").map { String(cString: $0) }
    }
    let descriptor = open(passwordFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(
        .badInput,
        "\(passwordFile): cannot read the password: \(String(cString: strerror(errno))); name a readable file")
    }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: Self.longestPassword)
    let count = read(descriptor, &buffer, buffer.count)
    let line = buffer.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty else {
      throw Failure(.badInput, "\(passwordFile): has no password in its first line; write it there, and nothing else")
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// In bytes.
  private static let longestPassword = 4_096
}
