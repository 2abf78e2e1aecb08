import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// What `record` sees of the main actor where Dispatch serves it, and what stays as without it.
@Suite(.serialized) struct RecordMainActorTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  private func report() throws -> RecordedReport {
    try RecordedReport(of: bench.files.file("store.stallwatch"))
  }

  @Test func whatHoldsTheMainActorIsAStall() throws {
    let run = try bench.record([Built.product("async-main"), "held"])
    #expect(run.exitCode == 5)
    #expect(run.text == "51\ndone\n")
    #expect(run.errorText == "")
    let report = try report()
    let lanes = report.loops.filter { $0.kind != "pool" }
    #expect(lanes.map(\.name) == ["main"])
    #expect(lanes[0].isMain && lanes[0].kind == "main queue")
    #expect(lanes[0].modes.map(\.name) == ["main queue"])
    #expect(lanes[0].iterations >= 53)
    #expect(report.health.lostRecords == [:])
    for (function, least) in [
      ("Model.rebuild()", 150_000_000), ("holdMainQueue()", 120_000_000), ("holdMainQueueLater()", 100_000_000),
      ("holdMainQueueByTimer()", 110_000_000), ("holdMainQueueInSync()", 130_000_000),
    ] {
      let stall = try #require(report.stall(in: function), "\(function)")
      #expect(stall.durationNs >= least && stall.state == "ended")
    }
  }

  /// CoreFoundation comes with the monitor then, in the middle of the program's work.
  @Test func aProgramWithoutFoundationRunsAsWithoutIt() throws {
    let program = try bench.swift(
      """
      import Glibc
      await Task.yield()
      print(await Task.detached { 3 }.value)
      try await Task.sleep(for: .milliseconds(20))
      await MainActor.run { print("slept") }
      exit(7)
      """)
    let alone = try TestRun.run([program])
    let run = try bench.record([program])
    #expect(run.text == "3\nslept\n" && run.text == alone.text)
    #expect(run.exitCode == 7 && alone.exitCode == 7)
    #expect(try report().loops.contains { $0.kind == "main queue" })
  }

  @Test func workItemsGroupsAndOrderAreAsWithoutIt() throws {
    let alone = try TestRun.run([Built.product("async-main"), "items"])
    #expect(
      alone.text == "waited, performed, barrier, delayed true true false\n"
        + "item, notified, grouped, barrier, group over; 10000 in order\ndone\n")
    let run = try bench.record([Built.product("async-main"), "items"])
    #expect(run.text == alone.text)
    #expect(run.exitCode == alone.exitCode)
    // More items than there is room for are counted, or all of them were seen.
    let losses = try report().health.lostRecords
    #expect(losses.keys.allSatisfy { $0 == "items" }, "\(losses)")
  }

  @Test func aRunLoopThatServesTheMainQueueTellsOfItOnce() throws {
    let program = try bench.swift(
      """
      import Foundation
      @inline(never) func holdMainQueue() { usleep(150_000) }
      DispatchQueue.main.async { holdMainQueue() }
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.3) { exit(0) }
      RunLoop.main.run()
      """)
    #expect(try bench.record([program]).exitCode == 0)
    let report = try report()
    #expect(report.loops.map(\.name) == ["main"])
    #expect(!report.loops[0].modes.contains { $0.name == "main queue" })
    #expect(report.stalls.items.filter { $0.callout == "main-queue" }.count == 1)
  }
}
