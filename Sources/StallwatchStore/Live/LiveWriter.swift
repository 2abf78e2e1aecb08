import StallwatchCore

/// Appends numbers of variable length: seven bits a byte, low bits first, the eighth bit set when more follow.
struct LiveWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins anew in the same memory: a heap that gives large pieces is slow.
  mutating func begin() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Changes bytes that are there.
  mutating func replace(at offset: Int, by other: [UInt8]) {
    bytes.replaceSubrange(offset..<offset + other.count, with: other)
  }

  mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ numbers: UInt64...) {
    for number in numbers { put(number) }
  }

  /// A row's number, or a count: not negative.
  mutating func put(_ row: Int64) { put(UInt64(clamping: row)) }

  mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func put<Value>(_ value: Value?, _ body: (inout LiveWriter, Value) -> Void) {
    put(value == nil ? 0 : 1 as UInt64)
    if let value { body(&self, value) }
  }

  mutating func put<List: Collection>(_ list: List, _ body: (inout LiveWriter, List.Element) -> Void) {
    put(UInt64(list.count))
    for value in list { body(&self, value) }
  }

  /// Counters in ascending order, most of them in one byte: how many places lie between it and the one before, and its
  /// count, four bits each. What does not fit into those follows.
  mutating func put(_ buckets: ArraySlice<SparseHistogram.Bucket>) {
    var next: UInt64 = 0
    put(buckets) { writer, bucket in
      let distance = UInt64(bucket.index) - next
      writer.bytes.append(UInt8(min(distance, Self.most)) << 4 | UInt8(min(bucket.count, Self.most)))
      if distance >= Self.most { writer.put(distance - Self.most) }
      if bucket.count >= Self.most { writer.put(bucket.count - Self.most) }
      next = UInt64(bucket.index) + 1
    }
  }

  /// The greatest number of four bits.
  static let most: UInt64 = 15

  mutating func put(_ window: TimeWindow) {
    put(window.startedNs, window.cellLength, window.evenLength, window.entries, window.iterations)
    put(window.starved, window.busy, window.waiting, window.outside, window.longest)
    put(window.cells) { writer, cell in
      writer.put(UInt64(cell.busyNs))
      writer.put(UInt64(cell.waitingNs))
      writer.put(UInt64(cell.outsideNs))
      writer.put(UInt64(cell.iterations))
      writer.put(UInt64(cell.longestPlace))
    }
  }
}
