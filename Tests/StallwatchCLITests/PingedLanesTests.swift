import Foundation
import TestPrograms
import Testing

/// What an embedded monitor sees of queues and actors that it pings, where no hooks show their items.
@Suite(.serialized) struct PingedLanesTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test func whatHoldsAPingedLaneIsAStallAndTheThreadOfAQueueIsSampled() throws {
    let store = bench.files.file("store.stallwatch")
    let run = try TestRun.run([Built.product("pinged-lanes"), store])
    #expect(run.exitCode == 5)
    #expect(run.text == "done\n")
    #expect(run.errorText == "")
    let report = try RecordedReport(of: store)
    let lanes = report.loops.filter { $0.kind == "pinged" }
    #expect(Set(lanes.map(\.name)) == ["images", "ledger", "quiet"])
    #expect(lanes.allSatisfy { $0.iterations >= 2 })
    let stalls = report.stalls.items.filter { $0.durationNs >= 200_000_000 }
    #expect(Set(stalls.map(\.loopName)) == ["images", "ledger"])
    #expect(report.stall(in: "resizeSlowly()")?.loopName == "images")
    #expect(report.health.lostRecords == [:])
  }

  @Test func withHooksAnEmbeddedMonitorSeesItemsAndPingsNothing() throws {
    let store = bench.files.file("store.stallwatch")
    let run = try TestRun.run([Built.product("hooked-lanes"), store])
    #expect(run.exitCode == 0)
    #expect(run.text == "done\n")
    #expect(run.errorText == "")
    let report = try RecordedReport(of: store)
    #expect(report.loops.allSatisfy { $0.kind != "pinged" })
    #expect(report.loops.contains { $0.name == "images" && $0.kind == "queue" && $0.stallCount == 1 })
    #expect(report.loops.contains { $0.kind == "pool" })
    #expect(report.stall(in: "resizeSlowly()")?.loopName == "images")
  }

  @Test func underRecordTheHooksOfTheInjectedMonitorSeeItemsAndTheEmbeddedOneStillPings() throws {
    let own = bench.files.file("own.stallwatch")
    let run = try bench.record([Built.product("pinged-lanes"), own])
    #expect(run.exitCode == 5)
    let recorded = try RecordedReport(of: bench.files.file("store.stallwatch"))
    #expect(recorded.loops.contains { $0.name == "images" && $0.kind == "queue" })
    let embedded = try RecordedReport(of: own)
    #expect(embedded.loops.contains { $0.name == "images" && $0.kind == "pinged" })
  }
}
