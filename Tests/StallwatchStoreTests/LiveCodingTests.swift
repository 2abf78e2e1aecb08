import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("What a live region's pieces consist of")
struct LiveCodingTests {
  private var random = SystemRandomNumberGenerator()

  /// A number of any magnitude.
  private mutating func number(below bits: Int = 64) -> UInt64 {
    let width = Int.random(in: 0...bits, using: &random)
    return width == 0 ? 0 : UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64(64 - width)
  }

  private mutating func counters(_ count: Int) -> [LiveCounter] {
    var place = -1
    return (0..<count).compactMap { _ in
      place += 1 + (Bool.random(using: &random) ? 0 : Int(number(below: 6)))
      return place < HistogramLayout.bucketCount ? LiveCounter(place: place, count: number(below: 30)) : nil
    }
  }

  private mutating func histogram() -> SparseHistogram {
    let buckets = counters(.random(in: 1...200, using: &random)).map {
      HistogramBucket(index: $0.place, count: $0.count + 1)
    }
    return SparseHistogram(
      buckets: PackedBuckets(buckets), count: number(below: 63), total: number(below: 63), maximum: number(below: 63))
  }

  /// What is read of what `write` wrote, to the last byte.
  private func read<Value>(
    _ write: (inout LiveWriter) -> Void, _ read: (inout LiveReader) throws -> Value
  ) throws -> Value {
    var writer = LiveWriter()
    write(&writer)
    var reader = LiveReader(writer.bytes)
    let value = try read(&reader)
    #expect(reader.isAtEnd)
    return value
  }

  @Test("numbers near others, and round times, come back")
  mutating func numbers() throws {
    for _ in 0..<2_000 {
      let (value, known) = (number(below: 63), number())
      #expect(try read({ $0.put(value, near: known) }, { try $0.time(near: known) }) == value)
      let time = number(below: 25) * [1, 1_000, .millisecond, .second, 60 * .second].randomElement(using: &random)!
      let expected = min(time, 1 << 62 - 1)
      #expect(try read({ $0.putRound(time) }, { try $0.roundTime() }) == expected)
    }
  }

  @Test("counters come back, and so do differences between them")
  mutating func counterLists() throws {
    let end = HistogramLayout.bucketCount
    for _ in 0..<500 {
      let (one, other) = (
        counters(.random(in: 0...300, using: &random)), counters(.random(in: 0...300, using: &random))
      )
      #expect(try read({ $0.put(one) }, { try $0.counters(below: end) }) == one)
      let differences = LiveCounters.differences(of: one, from: other)
      let found = try read({ $0.put(differences) }, { try $0.counters(below: end) })
      #expect(LiveCounters.counters(found, from: other) == one.filter { $0.count > 0 })
    }
  }

  @Test("rows of numbers of any width come back")
  mutating func rowLists() throws {
    for _ in 0..<500 {
      let columns = Int.random(in: 1...6, using: &random)
      let widths = (0..<columns).map { _ in Int.random(in: 0...64, using: &random) }
      let rows = (0..<Int.random(in: 0...70, using: &random)).map { _ in widths.map { number(below: $0) } }
      let found = try read({ $0.put(rows, columns: columns) { $0[$1] } }, { try $0.rows(columns: columns) { $0 } })
      #expect(found == rows)
    }
  }

  @Test("windows of time come back, whatever their sums and cells are")
  mutating func timeWindows() throws {
    for _ in 0..<500 {
      let origin = number(below: 50)
      var window = TimeWindow(startedNs: origin + number(below: 50), cellLength: 250 * .millisecond)
      window.cells = (0..<Int.random(in: 0...48, using: &random)).map { _ in
        WindowCell(
          busyNs: UInt32(number(below: 32)), waitingNs: UInt32(number(below: 32)), outsideNs: UInt32(number(below: 32)),
          iterations: UInt32(number(below: 24)), longestPlace: UInt16(number(below: 11)))
      }
      window.evenLength = number(below: 62)
      (window.entries, window.iterations, window.starved) = (number(below: 63), number(below: 63), number(below: 63))
      (window.busy, window.waiting, window.outside) = (number(below: 63), number(below: 63), number(below: 63))
      window.longest = number(below: 63)
      #expect(try read({ $0.put(window, from: origin) }, { try $0.timeWindow(from: origin) }) == window)
    }
  }

  @Test("metrics of a window come back, also with one counter for eight", arguments: [0, 3])
  mutating func metricLists(bits: UInt16) throws {
    for _ in 0..<300 {
      var metrics = (0..<Metric.count).map { _ in Bool.random(using: &random) ? histogram() : nil }
      if Bool.random(using: &random), let waiting = metrics[2] { metrics[5] = waiting }
      metrics = metrics.map { $0?.coarse(by: bits) }
      #expect(try read({ $0.put(metrics, coarseBy: bits) }, { try $0.metrics() }) == metrics)
    }
  }

  @Test("parts of a histogram come back, and a coarse one takes no more bytes for lying apart", arguments: [0, 3])
  mutating func parts(bits: UInt16) throws {
    for _ in 0..<300 {
      let whole = histogram().coarse(by: bits)
      let counters = LiveCounters.counters(whole.buckets, coarseBy: bits)
      let middle = Int.random(in: 0...counters.count, using: &random)
      var found = try read(
        { $0.put(whole, counters: counters[..<middle], coarseBy: bits, isFirst: true) },
        { try $0.histogram(isFirst: true) })
      found.append(
        try read(
          { $0.put(whole, counters: counters[middle...], coarseBy: bits, isFirst: false) },
          { try $0.histogram(isFirst: false) }))
      #expect(found == whole)
    }
    let close = SparseHistogram(
      buckets: PackedBuckets((0..<100).map { HistogramBucket(index: $0 << bits, count: 3) }), count: 300, total: 9,
      maximum: 9)
    var writer = LiveWriter()
    writer.put(
      close, counters: LiveCounters.counters(close.buckets, coarseBy: bits)[...], coarseBy: bits, isFirst: false)
    // Half a byte each.
    #expect(writer.bytes.count < 55)
  }

  @Test("windows of ticks come back")
  mutating func tickWindows() throws {
    for _ in 0..<200 {
      let start = number(below: 50)
      var window = TickWindow(startedNs: start, length: 60 * .second)
      for tick in 0..<number(below: 6) {
        let control = Bool.random(using: &random) ? number(below: 36) : nil
        let isLate = tick.isMultiple(of: 9)
        window.add(
          DriftTick(
            loop: LoopID(rawValue: 0), number: 1_000 + tick, dueNs: start + tick * .second + (isLate ? 3 : 0),
            runLoopLateness: Bool.random(using: &random) ? number(below: 36) : nil, gcdLateness: control,
            inOtherModes: number(below: 30)), machine: number(below: 20))
      }
      #expect(try read({ $0.put(window, coarseBy: 0) }, { try $0.tickWindow(startedNs: start) }) == window)
    }
  }

  @Test("bytes of any kind are read without harm")
  mutating func noise() {
    for _ in 0..<3_000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      for read: (inout LiveReader) throws -> Void in [
        { _ = try $0.counters(below: HistogramLayout.bucketCount) }, { _ = try $0.rows(columns: 5) { $0 } },
        { _ = try $0.timeWindow(from: .max) }, { _ = try $0.metrics() }, { _ = try $0.tickWindow(startedNs: .max) },
        { _ = try LiveKey(&$0, from: .max) },
      ] {
        var reader = LiveReader(bytes)
        try? read(&reader)
      }
    }
  }
}
