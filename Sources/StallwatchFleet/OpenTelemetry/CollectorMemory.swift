import StallwatchStore

/// What was sent to a collector before: the figures of hours, of which only the growth is sent next time, and the names
/// of signatures.
///
/// It is in the ledger. After a kill between the collector's answer and the note of it, a growth is sent twice.
struct CollectorMemory {
  let ledger: ShippingLedger
  /// What is being sent, and is not in the ledger yet.
  private var news: [String: [UInt8]] = [:]

  /// After how many seconds without being sent an hour or a signature is forgotten. An hour that ended two days ago no
  /// longer grows, and names are sent once a day.
  private static let lifetime: UInt32 = 2 * 24 * 60 * 60

  init(_ ledger: ShippingLedger) { self.ledger = ledger }

  /// The row of the same hour that was sent last; nil where none was.
  func lastSent(_ row: ActivityRow) throws -> ActivityRow? {
    try recall(Self.key(row)).flatMap { bytes in
      var decoder = RowDecoder(bytes)
      return try? ActivityRow(from: &decoder)
    }
  }

  /// The names of a signature; nil where they are not known.
  func signature(_ key: String, of service: String) throws -> SignatureRow? {
    try recall(Self.key(signature: key, of: service)).flatMap { bytes in
      var decoder = RowDecoder(bytes)
      return try? SignatureRow(from: &decoder)
    }
  }

  /// Notes a row that is being sent.
  mutating func note(_ row: ActivityRow) {
    var encoder = RowEncoder()
    row.encode(into: &encoder)
    news[Self.key(row)] = encoder.bytes
  }

  /// Notes the names of a signature.
  mutating func note(_ row: SignatureRow) {
    var encoder = RowEncoder()
    row.encode(into: &encoder)
    news[Self.key(signature: row.signature, of: row.service)] = encoder.bytes
  }

  /// Keeps the notes, once the collector has taken the request.
  mutating func keep(at now: UInt32) throws {
    guard !news.isEmpty else { return }
    try ledger.remember(
      news.map { (key: $0.key, body: $0.value) }, at: now, forgetting: now - min(now, Self.lifetime))
    news = [:]
  }

  /// Drops the notes, because the collector has not taken the request.
  mutating func drop() { news = [:] }

  private func recall(_ key: String) throws -> [UInt8]? {
    if let known = news[key] { return known }
    return try ledger.recall(key)
  }

  private static func key(_ row: ActivityRow) -> String { "hour \(row.origin.session) \(row.lane) \(row.hour)" }

  private static func key(signature: String, of service: String) -> String { "signature \(signature) \(service)" }
}
