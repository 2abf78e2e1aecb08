import StallwatchCore

/// A counter of a histogram, or the difference between two.
struct LiveCounter: Equatable {
  var place: Int
  var count: UInt64
}

/// Counters in ascending order of their places, in half bytes: most are neighbours, and have counted a few. A half byte
/// of 1 to 10 is a count, of 11 to 14 stands for 1 to 4 places without a counter before the next count, of 15 for more
/// of them, and of 0 for a greater count; a number follows these two, three bits in each half byte.
extension LiveWriter {
  /// Puts counters, and how many they are.
  mutating func put(_ counters: some Collection<LiveCounter>) {
    put(UInt64(counters.count))
    // In memory of its own, because it comes half byte by half byte.
    withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: (counters.count + 1) * HalfBytes.mostBytes
    ) { memory in
      var halves = HalfBytes(memory: memory.baseAddress!)
      var next = 0
      for counter in counters {
        halves.put(counter, after: next)
        next = counter.place + 1
      }
      append(UnsafeBufferPointer(rebasing: memory[..<halves.finish()]))
    }
  }

  private struct HalfBytes {
    /// The most bytes that a counter takes: two half bytes, and two numbers of 22 each.
    static let mostBytes = 23
    private var memory: UnsafeMutablePointer<UInt8>
    private var count = 0
    /// The first half of a byte whose second is to come.
    private var first: UInt8?

    init(memory: UnsafeMutablePointer<UInt8>) { self.memory = memory }

    /// Puts a counter; `next` is the first place that it may have.
    mutating func put(_ counter: LiveCounter, after next: Int) {
      let empty = UInt64(counter.place - next)
      if empty > LiveCounters.fewEmpty {
        put(LiveCounters.manyEmpty)
        put(number: empty - LiveCounters.fewEmpty - 1)
      } else if empty > 0 {
        put(LiveCounters.smallCount + empty)
      }
      if counter.count > 0, counter.count <= LiveCounters.smallCount {
        put(counter.count)
      } else {
        put(0)
        put(number: counter.count.since(LiveCounters.smallCount))
      }
    }

    /// How many bytes there are.
    mutating func finish() -> Int {
      if let first { add(first) }
      return count
    }

    private mutating func put(_ half: UInt64) {
      if let low = first {
        add(low | UInt8(truncatingIfNeeded: half << 4))
        first = nil
      } else {
        first = UInt8(truncatingIfNeeded: half)
      }
    }

    private mutating func put(number: UInt64) {
      var rest = number
      while rest >= 8 {
        put(rest & 7 | 8)
        rest >>= 3
      }
      put(rest)
    }

    private mutating func add(_ byte: UInt8) {
      memory[count] = byte
      count += 1
    }
  }
}

extension LiveReader {
  /// Counters at places below `end`.
  mutating func counters(below end: Int) throws(Unfit) -> [LiveCounter] {
    let count = try number()
    // Each has a half byte at least.
    guard count <= UInt64(bytesLeft) * 2, count <= UInt64(end) else { throw Unfit() }
    var counters: [LiveCounter] = []
    counters.reserveCapacity(Int(count))
    var halves = HalfBytes()
    var next: UInt64 = 0
    for _ in 0..<count {
      var half = try halves.half(from: &self)
      if half > LiveCounters.smallCount {
        let isMany = half == LiveCounters.manyEmpty
        let more = isMany ? try halves.number(from: &self).saturatingAdd(LiveCounters.fewEmpty + 1) : nil
        next = next.saturatingAdd(more ?? half - LiveCounters.smallCount)
        half = try halves.half(from: &self)
      }
      guard next < UInt64(end), half <= LiveCounters.smallCount else { throw Unfit() }
      if half == 0 {
        let more = try halves.number(from: &self)
        half = more > 0 ? more.saturatingAdd(LiveCounters.smallCount) : 0
      }
      counters.append(LiveCounter(place: Int(next), count: half))
      next += 1
    }
    return counters
  }

  private struct HalfBytes {
    private var rest: UInt8?

    mutating func half(from reader: inout LiveReader) throws(Unfit) -> UInt64 {
      if let high = rest {
        rest = nil
        return UInt64(high)
      }
      let byte = try reader.byte()
      rest = byte >> 4
      return UInt64(byte & 15)
    }

    mutating func number(from reader: inout LiveReader) throws(Unfit) -> UInt64 {
      var value: UInt64 = 0
      for place in 0..<21 {
        let half = try half(from: &reader)
        value |= (half & 7) << UInt64(3 * place)
        if half < 8 { return value }
      }
      throw Unfit()
    }
  }
}

/// What half bytes stand for, and what makes one histogram's counters of another one's.
enum LiveCounters {
  /// The greatest count in a half byte.
  fileprivate static let smallCount: UInt64 = 10
  /// So many places without a counter fit into a half byte.
  fileprivate static let fewEmpty: UInt64 = 4
  /// The half byte for more of them.
  fileprivate static let manyEmpty: UInt64 = 15

  /// Counters of which one stands for two to the power of `bits`.
  static func counters(_ buckets: some Collection<HistogramBucket>, coarseBy bits: UInt16) -> [LiveCounter] {
    var counters: [LiveCounter] = []
    counters.reserveCapacity(buckets.count)
    for bucket in buckets { counters.append(LiveCounter(place: bucket.index >> bits, count: bucket.count)) }
    return counters
  }

  /// The counters that differ from other ones: differences of counts, with their signs in the lowest bit.
  static func differences(of counters: [LiveCounter], from known: [LiveCounter]) -> [LiveCounter] {
    var differences: [LiveCounter] = []
    pair(counters, known) { place, count, knownCount in
      guard count != knownCount else { return }
      differences.append(LiveCounter(place: place, count: LiveDifference.encode(count, from: knownCount)))
    }
    return differences
  }

  /// The counters that these differences make of other ones.
  static func counters(_ differences: [LiveCounter], from known: [LiveCounter]) -> [LiveCounter] {
    var counters: [LiveCounter] = []
    pair(differences, known) { place, difference, knownCount in
      let count = LiveDifference.decode(difference, from: knownCount)
      if count > 0 { counters.append(LiveCounter(place: place, count: count)) }
    }
    return counters
  }

  /// Calls `body` with both counts of each place that either has, in ascending order.
  private static func pair(
    _ one: [LiveCounter], _ other: [LiveCounter], _ body: (_ place: Int, _ one: UInt64, _ other: UInt64) -> Void
  ) {
    var (first, second) = (0, 0)
    while first < one.count || second < other.count {
      let place = min(
        first < one.count ? one[first].place : .max, second < other.count ? other[second].place : .max)
      let isFirst = first < one.count && one[first].place == place
      let isSecond = second < other.count && other[second].place == place
      body(place, isFirst ? one[first].count : 0, isSecond ? other[second].count : 0)
      if isFirst { first += 1 }
      if isSecond { second += 1 }
    }
  }
}
