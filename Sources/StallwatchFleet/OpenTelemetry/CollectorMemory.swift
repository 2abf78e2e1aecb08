import StallwatchStore

/// What was sent to a collector before: hours, whose growth is sent next time, and what signatures stand for.
///
/// It lies in the ledger. After a kill between the collector's answer and the note of it, a growth is sent twice.
struct CollectorMemory {
  let ledger: ShippingLedger
  /// What is sent now and not yet noted.
  private var news: [String: [UInt8]] = [:]

  /// Hours and signatures are forgotten that were not sent for so long, in seconds: an hour that is over for two days does
  /// not grow, and names come once a day.
  private static let lifetime: UInt32 = 2 * 24 * 60 * 60

  init(_ ledger: ShippingLedger) { self.ledger = ledger }

  /// The hour as it was sent last; nil where it never was.
  func lastSent(_ row: ActivityRow) throws -> ActivityRow? {
    try recall(Self.key(row)).flatMap { bytes in
      var decoder = RowDecoder(bytes)
      return try? ActivityRow(from: &decoder)
    }
  }

  /// What a signature stands for; nil where that is not known.
  func signature(_ key: String, of service: String) throws -> SignatureRow? {
    try recall(Self.key(signature: key, of: service)).flatMap { bytes in
      var decoder = RowDecoder(bytes)
      return try? SignatureRow(from: &decoder)
    }
  }

  /// Takes note of a row that is sent.
  mutating func note(_ row: ActivityRow) {
    var encoder = RowEncoder()
    row.encode(into: &encoder)
    news[Self.key(row)] = encoder.bytes
  }

  /// Takes note of what a signature stands for.
  mutating func note(_ row: SignatureRow) {
    var encoder = RowEncoder()
    row.encode(into: &encoder)
    news[Self.key(signature: row.signature, of: row.service)] = encoder.bytes
  }

  /// Keeps what was noted, once the collector has it.
  mutating func keep(at now: UInt32) throws {
    guard !news.isEmpty else { return }
    try ledger.remember(
      news.map { (key: $0.key, body: $0.value) }, at: now, forgetting: now - min(now, Self.lifetime))
    news = [:]
  }

  /// Forgets what was noted, because the collector does not have it.
  mutating func drop() { news = [:] }

  private func recall(_ key: String) throws -> [UInt8]? {
    if let known = news[key] { return known }
    return try ledger.recall(key)
  }

  private static func key(_ row: ActivityRow) -> String { "hour \(row.origin.session) \(row.lane) \(row.hour)" }

  private static func key(signature: String, of service: String) -> String { "signature \(signature) \(service)" }
}
