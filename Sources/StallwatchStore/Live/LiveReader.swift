import StallwatchCore

/// Reads what ``LiveWriter`` wrote. Trusts nothing: a number, a list or a text that does not fit ends the reading.
struct LiveReader {
  /// The bytes are not what they should be.
  struct Unfit: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws(Unfit) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<10 {
      guard position < bytes.count else { throw Unfit() }
      let byte = UInt64(bytes[position])
      position += 1
      guard place < 9 || byte < 2 else { throw Unfit() }
      value |= (byte & 0x7f) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    throw Unfit()
  }

  /// A moment, a duration or a count: what a column of the store can hold.
  mutating func time() throws(Unfit) -> UInt64 {
    let value = try number()
    return min(value, UInt64(Int64.max))
  }

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

  /// Counters in ascending order.
  mutating func buckets() throws(Unfit) -> [SparseHistogram.Bucket] {
    var next: UInt64 = 0
    return try list { reader throws(Unfit) in
      let (high, low) = try reader.halves()
      let distance = high < LiveWriter.most ? high : high.saturatingAdd(try reader.number())
      let count = low < LiveWriter.most ? low : low.saturatingAdd(try reader.time())
      let index = next.saturatingAdd(distance)
      guard index < UInt64(HistogramLayout.bucketCount) else { throw Unfit() }
      next = index + 1
      return SparseHistogram.Bucket(index: UInt16(index), count: count)
    }
  }

  /// The two numbers of a byte.
  private mutating func halves() throws(Unfit) -> (high: UInt64, low: UInt64) {
    guard position < bytes.count else { throw Unfit() }
    defer { position += 1 }
    return (UInt64(bytes[position] >> 4), UInt64(bytes[position] & 15))
  }

  /// A histogram, or a part of one.
  mutating func histogram() throws(Unfit) -> SparseHistogram {
    let (count, total, maximum) = (try time(), try time(), try time())
    let buckets = try buckets()
    guard buckets.reduce(0, { $0.saturatingAdd($1.count) }) <= HistogramEncoding.mostSamples else { throw Unfit() }
    return SparseHistogram(buckets: buckets, count: count, total: total, maximum: maximum)
  }

  /// What the monitor cost, without the watchdog's lateness.
  mutating func health() throws(Unfit) -> LiveFigures.Health {
    LiveFigures.Health(
      atNs: try time(), observerTotal: try time(), monitorCPU: try time(), wakeups: try time(),
      driftWakeups: try time(), lateness: SparseHistogram(),
      signalObstacle: try optional { reader throws(Unfit) in try reader.text() })
  }

  mutating func timeWindow() throws(Unfit) -> TimeWindow {
    let (startedNs, cellLength, evenLength) = (try time(), try time(), try time())
    guard cellLength > 0, cellLength <= WindowCell.longestLength else { throw Unfit() }
    var window = TimeWindow(startedNs: startedNs, cellLength: cellLength)
    window.evenLength = evenLength
    (window.entries, window.iterations) = (try time(), try time())
    (window.starved, window.busy, window.waiting) = (try time(), try time(), try time())
    (window.outside, window.longest) = (try time(), try time())
    window.cells = try list { reader throws(Unfit) in
      WindowCell(
        busyNs: UInt32(clamping: try reader.number()), waitingNs: UInt32(clamping: try reader.number()),
        outsideNs: UInt32(clamping: try reader.number()),
        iterations: min(UInt32(clamping: try reader.number()), WindowCell.mostIterations),
        longestPlace: UInt16(min(try reader.number(), UInt64(HistogramLayout.bucketCount - 1))))
    }
    return window
  }

  /// A timer's ledger without its lateness.
  mutating func timer(row: Int64) throws(Unfit) -> LiveFigures.Timer {
    var figures = TimerFigures()
    (figures.fired, figures.dropped, figures.droppedOutside) = (try time(), try time(), try time())
    (figures.coalesced, figures.rearmed, figures.intervalChanges) = (try time(), try time(), try time())
    (figures.calloutTotal, figures.calloutMaximum) = (try time(), try time())
    figures.worstAtNs = try optional { reader throws(Unfit) in try reader.time() }
    figures.endedNs = try optional { reader throws(Unfit) in try reader.time() }
    let drops = try list { reader throws(Unfit) in (try reader.row(), try reader.time()) }
    return LiveFigures.Timer(
      row: row, figures: figures, drops: Dictionary(drops, uniquingKeysWith: { first, _ in first }))
  }
}
