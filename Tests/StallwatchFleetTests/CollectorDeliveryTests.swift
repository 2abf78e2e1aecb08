import Foundation
import StallwatchCore
import StallwatchFormats
import StallwatchStore
import Testing

@testable import StallwatchFleet

@Suite("Delivery to a collector")
struct CollectorDeliveryTests {
  private final class StillClock: ShippingClock {
    var now: Nanoseconds = 0
    var wall: UInt64 { 1_772_409_600 * Nanoseconds.second }
    var isStopped: Bool { false }
    var chance: Double { 0 }
    func wait(until moment: Nanoseconds) { now = moment }
  }

  private let folder: URL
  private let ledger: ShippingLedger

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "collector-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    ledger = try ShippingLedger(path: folder.appending(path: "ledger").path, destination: "test", holder: "a test")
  }

  private func delivery(to server: ScriptedServer) throws -> CollectorDelivery {
    var collector = try #require(Collector(url: "otlp+http://127.0.0.1:\(server.port)/"))
    collector.secretHeaders = [Collector.Header(name: "Authorization", value: "Bearer secret")]
    return CollectorDelivery(collector, ledger, StillClock(), version: "1")
  }

  private func batch(_ rows: any FleetRow...) -> SpooledBatch {
    var encoder = RowEncoder()
    for row in rows { row.encode(into: &encoder) }
    return SpooledBatch(
      table: type(of: rows[0]).table, columns: type(of: rows[0]).columns, priority: .figures, rows: UInt64(rows.count),
      body: Gzip.packed(encoder.bytes), made: 1, sessions: [:])
  }

  private func hour(spans: Int, version: UInt64) -> ActivityRow {
    let origin = RowOrigin(session: 7, service: "feed", release: "2.0", environment: "test", instance: "a")
    var row = ActivityRow(
      origin: origin, hour: 3_600, lane: 1, laneName: "main", laneKind: "run loop", isMain: true, watched: 1,
      version: version)
    for number in 0..<spans { row.spans.record(Nanoseconds(number + 1) * .millisecond) }
    return row
  }

  private func body(_ request: ScriptedServer.Request) throws -> [UInt8] {
    try #require(Gzip.unpacked(request.body, limit: 1 << 20))
  }

  @Test("sends an hour's growth, and again what was not taken")
  func growth() throws {
    let server = try ScriptedServer { number, _ in
      number == 1
        ? .raw(Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
        : .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let delivery = try delivery(to: server)
    #expect(delivery.deliver(batch(hour(spans: 10, version: 1))) == .taken)
    let later = batch(hour(spans: 14, version: 2))
    guard case .notNow = delivery.deliver(later) else {
      Issue.record("taken by a server that is busy")
      return
    }
    #expect(delivery.deliver(later) == .taken)
    // The same again, and an older row that comes late: nothing grew, so nothing is sent.
    #expect(delivery.deliver(later) == .taken)
    #expect(delivery.deliver(batch(hour(spans: 10, version: 1))) == .taken)
    #expect(server.requests.count == 3)
    #expect(server.requests.allSatisfy { $0.address == "/v1/metrics" })
    #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer secret" })
    let grown = try #require(ActivityGrowth(from: hour(spans: 10, version: 1), to: hour(spans: 14, version: 2)))
    #expect(grown.spans.totalCount == 4)
    let expected = OpenTelemetryMessage.metrics([grown], version: "1")
    #expect(try body(server.requests[1]) == expected)
    #expect(try body(server.requests[2]) == expected)
  }

  @Test("says of a stall what its signature stands for, also after another start")
  func signature() throws {
    let server = try ScriptedServer { _, _ in .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)) }
    let name = SignatureRow(
      service: "feed", signature: "0123456789ab", title: "Feed.decode(_:)", function: "Feed.decode(_:)",
      file: "Feed.swift", line: 8, call: "", called: "", near: "", frames: ["main"], version: 1)
    #expect(try delivery(to: server).deliver(batch(name)) == .taken)
    #expect(server.requests.isEmpty)
    let origin = hour(spans: 0, version: 1).origin
    var stall = StallRow(
      origin: origin, started: 5_000_000_000, number: 3, lane: 1, laneName: "main", kind: "stall", state: "ended",
      severity: "hang", mode: "default", phase: "service", duration: 600_000_000, version: 2)
    stall.signature = "0123456789ab"
    var cancelled = stall
    cancelled.state = "cancelled"
    #expect(try delivery(to: server).deliver(batch(stall, cancelled)) == .taken)
    #expect(server.requests.map(\.address) == ["/v1/logs"])
    #expect(
      try body(server.requests[0])
        == OpenTelemetryMessage.logs([StallRecord(row: stall, signature: name)], version: "1"))
  }

  @Test("distinguishes what will never be taken from what a person has to mend")
  func failures() throws {
    let answers = [400: "never", 401: "mend", 404: "mend", 429: "later", 500: "later"]
    for (status, meaning) in answers {
      let server = try ScriptedServer { _, _ in
        .raw(Array("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n".utf8))
      }
      switch try delivery(to: server).deliver(batch(hour(spans: 1, version: UInt64(status)))) {
      case .never: #expect(meaning == "never")
      case .notUntilMended: #expect(meaning == "mend")
      case .notNow: #expect(meaning == "later")
      case .taken: Issue.record("\(status) was taken")
      }
    }
    var broken = batch(hour(spans: 1, version: 9))
    broken.body = [1, 2, 3]
    let server = try ScriptedServer { _, _ in .nothing }
    #expect(try delivery(to: server).deliver(broken) == .never("the batch is damaged"))
  }

  @Test(
    "goes to a URL of a collector, and to no other",
    arguments: [
      ("otlp+http://localhost", "http://localhost:4318"), ("otlp+https://host:443/tenant/", "https://host:443/tenant"),
      ("otlp+http://[::1]:4318", "http://[::1]:4318"), ("http://localhost:4318", nil), ("otlp+http://", nil),
      ("otlp+http://me:secret@host", nil),
    ])
  func address(url: String, address: String?) {
    #expect(Collector(url: url)?.address == address)
  }
}
