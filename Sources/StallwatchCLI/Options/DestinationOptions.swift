import ArgumentParser
import Foundation
import StallwatchFleet
import StallwatchLibc

/// The server that rows go to, and as whom.
struct DestinationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The ClickHouse, https://user@host:8443/database, or the OpenTelemetry collector, otlp+https://host:4318, to send to.",
      valueName: "url"))
  var to: String?

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

  /// Where the options send to. Throws ``Failure``.
  func destination() throws -> Destination {
    if let collector = try collector() { return .collector(collector) }
    return .clickHouse(try server())
  }

  /// The collector that the options name, if it is one. A password without a user is a token.
  private func collector() throws -> Collector? {
    guard let to, Collector.schemes.contains(where: { to.lowercased().hasPrefix($0) }) else { return nil }
    guard var collector = Collector(url: to) else {
      throw Failure(.badInput, "the collector's URL cannot be used; write it like otlp+https://host:4318")
    }
    collector.certificates = certificates
    if let password = try password() {
      let secret = user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() } ?? "Bearer \(password)"
      collector.secretHeaders = [Collector.Header(name: "Authorization", value: secret)]
    }
    return collector
  }

  /// The server that the options name. Throws ``Failure``.
  func server() throws -> ClickHouseServer {
    guard let to else { throw ValidationError("Missing expected argument '--to <url>'") }
    var server: ClickHouseServer
    do { server = try ClickHouseServer(url: to) } catch { throw Failure(.badInput, "\(error)") }
    if let user { server.user = user }
    server.certificates = certificates
    server.password = try password().map(ClickHouseServer.Secret.init)
    return server
  }

  private func password() throws -> String? {
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
