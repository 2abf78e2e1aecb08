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

@Suite("Decoded rows")
struct DecodedRowTests {
  private let origin = RowOrigin(session: 7, service: "feed", release: "1", environment: "test", instance: "a")

  private var activity: ActivityRow {
    var row = ActivityRow(
      origin: origin, hour: 3_600, lane: 2, laneName: "main", laneKind: "run loop", isMain: true, watched: 9,
      version: 11)
    row.busy = 1
    row.iterations = 2
    row.stalls = 3
    row.stalled = 4
    row.hangs = 5
    row.hang = 6
    row.worst = 7
    row.unattributed = 8
    row.spans.record(5_000_000, count: 3)
    row.delays.record(70_000)
    row.causes = [
      ActivityRow.Cause(signature: "0123456789ab", stalls: 1, total: 2, worst: 3, first: 4, last: 5)
    ]
    return row
  }

  private var stall: StallRow {
    var row = StallRow(
      origin: origin, started: 5_000_000_000, number: 3, lane: 2, laneName: "main", kind: "stall", state: "ended",
      severity: "hang", mode: "default", phase: "service", duration: 600_000_000, version: 12)
    row.running = 1
    row.blocked = 2
    row.starved = 3
    row.signature = "0123456789ab"
    row.call = "read"
    row.target = "/etc/feed"
    row.annotations = [(name: "screen", value: "list")]
    return row
  }

  private var signature: SignatureRow {
    SignatureRow(
      service: "feed", signature: "0123456789ab", title: "read()", function: "read()", file: "Feed.swift", line: 8,
      call: "read", called: "load()", near: "", frames: ["main", "read()"], version: 13)
  }

  private func encoded(_ rows: any FleetRow...) -> [UInt8] {
    var encoder = RowEncoder()
    for row in rows { row.encode(into: &encoder) }
    return encoder.bytes
  }

  @Test("are those that were encoded")
  func roundTrip() throws {
    var decoder = RowDecoder(encoded(activity, stall, signature, stall))
    let read = try ActivityRow(from: &decoder)
    var expected = activity
    expected.causes = []
    #expect(encoded(read) == encoded(expected))
    #expect(try encoded(StallRow(from: &decoder)) == encoded(stall))
    #expect(try SignatureRow(from: &decoder) == signature)
    #expect(try encoded(StallRow(from: &decoder)) == encoded(stall))
    #expect(decoder.isAtEnd)
  }

  @Test("of damaged bytes are refused, wherever they end")
  func damage() {
    let whole = encoded(stall)
    for length in whole.indices {
      var decoder = RowDecoder(Array(whole.prefix(length)))
      #expect(throws: RowDecoder.Damage.self) { try StallRow(from: &decoder) }
    }
    var endless = RowDecoder([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
    #expect(throws: RowDecoder.Damage.self) { try endless.text() }
    var long = RowDecoder([0xff, 0xff, 0xff, 0x7f, 0])
    #expect(throws: RowDecoder.Damage.self) { try long.texts() }
  }
}
