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

  @OptionGroup var server: ServerOptions

  /// Where the options send to. Throws ``Failure``.
  func destination() throws -> Destination {
    if let collector = try collector() { return .collector(collector) }
    return .clickHouse(try clickHouse())
  }

  /// The collector that the options name, if it is one. A password without a user is a token.
  private func collector() throws -> Collector? {
    guard let to, Collector.schemes.contains(where: { to.lowercased().hasPrefix($0) }) else { return nil }
    guard var collector = Collector(url: to) else {
      throw Failure(.badInput, "the collector's URL cannot be used; write it like otlp+https://host:4318")
    }
    collector.certificates = server.certificates
    if let password = try server.password() {
      let secret =
        server.user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() } ?? "Bearer \(password)"
      collector.secretHeaders = [Collector.Header(name: "Authorization", value: secret)]
    }
    return collector
  }

  private func clickHouse() throws -> ClickHouseServer {
    guard let to else { throw ValidationError("Missing expected argument '--to <url>'") }
    do { return try server.server(at: to) } catch let error as ClickHouseError { throw Failure(.badInput, "\(error)") }
  }
}
