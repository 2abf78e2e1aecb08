/// An OpenTelemetry collector that takes OTLP over HTTP.
package struct Collector: Sendable, Equatable {
  /// `http://host:port` or `https://…`, with the prefix of its paths.
  package var address: String
  /// A file with the certificates to trust; nil for the system's.
  package var certificates: String?
  /// Headers that authenticate the sender, such as `Authorization`. Never printed.
  package var secretHeaders: [Header] = []
  /// How long to wait for the whole answer.
  package var patience = Duration.seconds(60)

  /// A header of a request.
  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// The beginnings of a collector's URL.
  package static let schemes = ["otlp+http://", "otlp+https://"]
  /// The port of OTLP over HTTP, for URLs without a port.
  private static let port = 4_318

  /// A collector by its URL, such as `otlp+https://host:4318` or `otlp+https://host/prefix`; nil for other texts.
  package init?(url: String) {
    guard let scheme = Self.schemes.first(where: { url.lowercased().hasPrefix($0) }) else { return nil }
    let rest = url.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    let path = rest[authority.endIndex...]
    guard !authority.isEmpty, !rest.contains(where: { "@?# ".contains($0) || $0.asciiValue == nil }) else { return nil }
    let hasPort = authority.split(separator: "]").last?.contains(":") ?? false
    var prefix = String(path)
    while prefix.hasSuffix("/") { prefix.removeLast() }
    address = scheme.dropFirst("otlp+".count) + authority + (hasPort ? "" : ":\(Self.port)") + prefix
  }
}
