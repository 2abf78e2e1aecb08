import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("A stack's bytes")
struct StackEncodingTests {
  private func decode(_ bytes: [UInt8]) throws -> [UInt64] {
    try bytes.withUnsafeBytes { try StackEncoding.decode($0) }
  }

  @Test("are differences, as the schema says")
  func example() throws {
    #expect(StackEncoding.encode([] as [UInt64]) == [])
    // 64 is 128 in ZigZag, 0 is 64 less than that, 2^64 - 1 is 1 less again.
    #expect(StackEncoding.encode([64, 0, .max]) == [0x80, 0x01, 0x7f, 0x01])
    #expect(StackEncoding.encode([1 << 63]) == Array(repeating: 0xff, count: 9))
  }

  @Test("give the stack back, whatever its addresses")
  func roundTrip() throws {
    var generator = RandomNumbers(seed: 7)
    for length in 0..<200 {
      let frames = (0..<length).map { _ in
        UInt64.random(in: 0 ... .max, using: &generator) >> UInt64.random(in: 0...63, using: &generator)
      }
      #expect(try decode(StackEncoding.encode(frames)) == frames)
    }
  }

  @Test("cut short or of too many frames are refused")
  func refused() throws {
    #expect(throws: SQLiteFailure.self) { try decode([0x02, 0x80]) }
    #expect(try decode([UInt8](repeating: 2, count: SampleLimits.mostFrames)).count == SampleLimits.mostFrames)
    #expect(throws: SQLiteFailure.self) { try decode([UInt8](repeating: 2, count: SampleLimits.mostFrames + 1)) }
  }

  @Test("have the hash that FNV's authors publish for the same bytes")
  func hash() {
    #expect(UInt64(bitPattern: StackEncoding.hash([])) == 0xcbf2_9ce4_8422_2325)
    #expect(UInt64(bitPattern: StackEncoding.hash(Array("a".utf8))) == 0xaf63_dc4c_8601_ec8c)
    #expect(UInt64(bitPattern: StackEncoding.hash(Array("foobar".utf8))) == 0x8594_4171_f739_67e8)
  }
}

@Suite("What was used recently")
struct RecentlyUsedTests {
  @Test("is known, and no more than the capacity is held")
  func bounded() {
    var cache = RecentlyUsed<Int, Int>(capacity: 10)
    for key in 0..<100 {
      #expect(cache.value(of: key) == nil)
      cache.insert(key * 2, of: key)
      #expect(cache.count <= 10)
      for recent in max(0, key - 4)...key { #expect(cache.value(of: recent) == recent * 2) }
    }
    #expect(cache.value(of: 0) == nil)
    cache.removeAll()
    #expect(cache.value(of: 99) == nil)
  }

  @Test("stays for as long as it is asked for")
  func kept() {
    var cache = RecentlyUsed<Int, Int>(capacity: 4)
    cache.insert(1, of: -1)
    for key in 0..<100 {
      cache.insert(key, of: key)
      #expect(cache.value(of: -1) == 1)
    }
  }
}
