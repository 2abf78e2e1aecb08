import StallwatchCore

/// The first bytes of a live region: what it is, and of which session.
struct LiveHeader: Equatable {
  var session: Int64
  /// When the session began, on the monotonic clock: a store in another one's place has other sessions.
  var startedNs: Nanoseconds

  /// The ASCII letters `StlwLive`, and the version of the layout. Version 1 had two places for all figures, version 2
  /// a piece for each metric, and whole numbers, version 3 the places of fine counters for coarse ones.
  private static let magic: UInt64 = 0x5374_6c77_4c69_7665
  private static let version: UInt64 = 4
  private static let length = 32
  /// How many blocks follow the header, which has a page of its own. 100 busy loops of two modes need some 40.
  static let blockCount = 130
  /// The file's length in bytes.
  static let fileLength = (1 + blockCount) * LiveBlock.length

  /// Where a block begins.
  static func offset(ofBlock block: Int) -> Int { (1 + block) * LiveBlock.length }

  init(session: Int64, startedNs: Nanoseconds) {
    self.session = session
    self.startedNs = startedNs
  }

  var bytes: [UInt8] {
    [Self.magic, Self.version, UInt64(bitPattern: session), startedNs].flatMap { LiveBlock.bytes(of: $0) }
  }

  /// The header of a file; nil when it is another kind of file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length else { return nil }
    let words = (0..<4).map { LiveBlock.number(bytes, at: $0 * 8) }
    guard words[0] == Self.magic, words[1] == Self.version else { return nil }
    self.init(session: Int64(bitPattern: words[2]), startedNs: words[3])
  }
}
