import ArgumentParser
import Foundation
import StallwatchFleet

/// The server that rows go to, and as whom.
struct DestinationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The ClickHouse, https://user@host:8443/database, or the OpenTelemetry collector, otlp+https://host:4318, to send to.",
      valueName: "url"))
  var to: String?

  @OptionGroup var access: ServerOptions

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
    collector.certificates = access.certificates
    if let password = try access.password() {
      let user = access.user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() }
      let secret = user ?? "Bearer \(password)"
      collector.secretHeaders = [Collector.Header(name: "Authorization", value: secret)]
    }
    return collector
  }

  /// The server that the options name. Throws ``Failure``.
  func server() throws -> ClickHouseServer {
    guard let to else { throw ValidationError("Missing expected argument '--to <url>'") }
    return try access.server(at: to)
  }
}
