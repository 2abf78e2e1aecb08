import StallwatchStore
import Testing

@testable import StallwatchFleet

@Suite("Rows of a fleet")
struct RowTests {
  @Test("are written as RowBinary: numbers little-endian, lengths in LEB128")
  func encoding() {
    var encoder = RowEncoder()
    encoder.put(UInt32(0x0102_0304))
    encoder.put("é")
    encoder.put([UInt16(1), 2])
    encoder.put(String(repeating: "a", count: 200))
    var histogram = DurationHistogram()
    histogram.record(256, count: 3)
    encoder.put(histogram)
    let expected: [UInt8] =
      [4, 3, 2, 1] + [2, 0xc3, 0xa9] + [2, 1, 0, 2, 0] + [0xc8, 1] + [UInt8](repeating: 97, count: 200)
      + [1, 1, 0] + [1, 3, 0, 0, 0, 0, 0, 0, 0]
    #expect(encoder.bytes == expected)
  }
}
