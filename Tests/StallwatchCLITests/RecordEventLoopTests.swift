import Foundation
import TestPrograms
import Testing

/// What `record` sees of a program whose threads serve event loops, and that has no run loop.
@Suite(.serialized) struct RecordEventLoopTests {
  private static let stallwatch = Built.product("stallwatch")

  private struct Report: Decodable {
    struct Loop: Decodable {
      var name: String, iterations: Int, stalls: Int?
      var isMain: Bool
    }
    struct Stalls: Decodable {
      struct Item: Decodable { var loop: Int, durationNs: UInt64, signature: String?, state: String }
      struct Signature: Decodable { var signature: String, title: String }
      var items: [Item], signatures: [Signature]
    }
    struct Health: Decodable { var losses: [String: Int] }
    var loops: [Loop], stalls: Stalls, health: Health
  }

  @Test func itemsThatHoldAnEventLoopAreStalls() throws {
    let directory = try TestDirectory()
    try Built.preload(into: Built.products)
    let store = directory.file("loops.stallwatch")
    let run = try TestRun.run([Self.stallwatch, "record", "-o", store, Built.product("event-loops")])
    #expect(run.exitCode == 7)
    #expect(run.text == "done\n")
    let written = try TestRun.run([Self.stallwatch, "report", store, "--format", "json"])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let report = try decoder.decode(Report.self, from: written.output)
    // Neither Dispatch's own thread for descriptors nor the worker is a lane.
    #expect(report.loops.map(\.name).sorted() == ["loop-1", "loop-2"])
    #expect(report.loops.allSatisfy { $0.iterations > 15 && !$0.isMain })
    #expect(report.health.losses.isEmpty)
    let titles = Dictionary(uniqueKeysWithValues: report.stalls.signatures.map { ($0.signature, $0.title) })
    let stalls = report.stalls.items.sorted { $0.durationNs < $1.durationNs }
    // A busy machine may make more of them, never fewer.
    let held = try #require(stalls.first { titles[$0.signature ?? ""]?.contains("holdLoop()") ?? false })
    let waited = try #require(stalls.first { titles[$0.signature ?? ""]?.contains("waitWithin()") ?? false })
    #expect(held.durationNs >= 150_000_000 && waited.durationNs >= 600_000_000)
    #expect(held.loop != waited.loop)
    #expect(stalls.allSatisfy { $0.state == "ended" })
    #expect(!titles.values.contains { $0.contains("waitOnWorker()") })
  }
}
