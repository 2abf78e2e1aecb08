import StallwatchCore

/// Reads what ``LiveWriter`` wrote. Trusts nothing: a number, a list or a text that does not fit ends the reading.
struct LiveReader {
  /// The bytes are not what they should be.
  struct Unfit: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var bytesLeft: Int { bytes.count - position }

  mutating func byte() throws(Unfit) -> UInt8 {
    guard position < bytes.count else { throw Unfit() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(Unfit) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<10 {
      let byte = UInt64(try byte())
      guard place < 9 || byte < 2 else { throw Unfit() }
      value |= (byte & 0x7f) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    throw Unfit()
  }

  /// A moment, a duration or a count: what a column of the store can hold.
  mutating func time() throws(Unfit) -> UInt64 {
    Self.time(try number())
  }

  /// What a column of the store can hold of a number.
  static func time(_ number: UInt64) -> UInt64 { min(number, UInt64(Int64.max)) }

  /// A time or a count near a known one.
  mutating func time(near known: UInt64) throws(Unfit) -> UInt64 {
    Self.time(LiveDifference.decode(try number(), from: known))
  }

  /// A time that mostly is a whole number of seconds or milliseconds.
  mutating func roundTime() throws(Unfit) -> Nanoseconds {
    let number = try number()
    return Self.time((0..<number & 3).reduce(number >> 2) { time, _ in time.saturatingMultiply(by: 1_000) })
  }

  /// The moment so long after another one.
  func moment(_ time: Nanoseconds, after origin: Nanoseconds) -> Nanoseconds { Self.time(origin.saturatingAdd(time)) }

  /// A row's number, or a count of rows.
  mutating func row() throws(Unfit) -> Int64 {
    guard let row = Int64(exactly: try number()) else { throw Unfit() }
    return row
  }

  mutating func text() throws(Unfit) -> String {
    let length = try number()
    guard length <= UInt64(min(bytes.count - position, SampleLimits.longestText)) else { throw Unfit() }
    defer { position += Int(length) }
    guard let text = String(validating: bytes[position..<position + Int(length)], as: UTF8.self) else { throw Unfit() }
    return text
  }

  mutating func optional<Value>(_ body: (inout LiveReader) throws(Unfit) -> Value) throws(Unfit) -> Value? {
    switch try number() {
    case 0: return nil
    case 1: return try body(&self)
    default: throw Unfit()
    }
  }

  mutating func list<Value>(_ body: (inout LiveReader) throws(Unfit) -> Value) throws(Unfit) -> [Value] {
    let count = try number()
    // Each element has a byte at least.
    guard count <= UInt64(bytes.count - position) else { throw Unfit() }
    var values: [Value] = []
    values.reserveCapacity(Int(count))
    for _ in 0..<count { values.append(try body(&self)) }
    return values
  }

  /// The body of a piece: its length in two bytes, low byte first, then so many bytes.
  mutating func piece() throws(Unfit) -> LiveReader {
    guard bytes.count - position >= 2 else { throw Unfit() }
    let (start, length) = (position + 2, Int(bytes[position]) | Int(bytes[position + 1]) << 8)
    guard length <= bytes.count - start else { throw Unfit() }
    position = start + length
    return LiveReader(Array(bytes[start..<position]))
  }

  /// What the monitor cost, without the watchdog's lateness.
  mutating func health() throws(Unfit) -> LiveFigures.Health {
    LiveFigures.Health(
      atNs: try time(), observerTotal: try time(), monitorCPU: try time(), wakeups: try time(),
      driftWakeups: try time(), lateness: SparseHistogram(),
      signalObstacle: try optional { reader throws(Unfit) in try reader.text() })
  }

  /// A timer's ledger without its lateness.
  mutating func timer(row: Int64) throws(Unfit) -> LiveFigures.Timer {
    var figures = TimerFigures()
    (figures.fired, figures.dropped, figures.droppedOutside) = (try time(), try time(), try time())
    (figures.coalesced, figures.rearmed, figures.intervalChanges) = (try time(), try time(), try time())
    (figures.calloutTotal, figures.calloutMaximum) = (try time(), try time())
    figures.worstAtNs = try optional { reader throws(Unfit) in try reader.time() }
    figures.endedNs = try optional { reader throws(Unfit) in try reader.time() }
    (figures.storedFires, figures.worstLateness) = (try time(), try time())
    let drops = try list { reader throws(Unfit) in (try reader.row(), try reader.time()) }
    return LiveFigures.Timer(
      row: row, figures: figures, drops: Dictionary(drops, uniquingKeysWith: { first, _ in first }))
  }
}
