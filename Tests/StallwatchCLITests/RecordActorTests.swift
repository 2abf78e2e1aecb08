import TestPrograms
import Testing

/// What `record` sees of Swift's default actors, and what stays as without it.
@Suite(.serialized) struct RecordActorTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// Records a part of the program, and expects what it does alone.
  private func record(_ part: String) throws -> RecordedReport {
    let command = [Built.product("actors"), part]
    let alone = try TestRun.run(command)
    let run = try bench.record(command)
    #expect(alone.exitCode == 5 && run.exitCode == 5)
    #expect(run.text == alone.text && run.text.hasSuffix("done\n"))
    #expect(run.errorText == alone.errorText)
    return try RecordedReport(of: bench.files.file("store.stallwatch"))
  }

  @Test func aCallThatWaitsForAnotherOneIsAStallWithThatOnesFunction() throws {
    let report = try record("delays")
    for (lane, function) in [("actors.Cache", "rebuildIndex()"), ("actors.Shelf.Box", "sortBox()")] {
      let stall = report.stall(in: function)
      #expect(stall?.loopName == lane)
      #expect(stall?.state == "ended")
      #expect(report.loops.contains { $0.name == lane && $0.kind == "actor" && $0.stallCount == 1 })
    }
    for function in ["rebuildIndex()", "sortBox()"] {
      let stall = try #require(report.stall(in: function))
      let shown = try TestRun.run([
        Built.product("stallwatch"), "show", bench.files.file("store.stallwatch"), "\(stall.id)",
      ])
      let waited = shown.text.split(separator: "\n").first { $0.hasPrefix("waited") }
      #expect(waited?.contains("in delay()") == true, "\(shown.text)")
    }
    // All that it served: one call that held it, and one that waited.
    #expect(report.loops.first { $0.name == "actors.Cache" }?.iterations == 2)
    #expect(report.health.lostRecords == [:])
  }

  @Test func whatNobodyWaitsForIsNoStall() throws {
    let report = try record("harmless")
    #expect(report.loops.contains { $0.name == "actors.Cache" && $0.iterations >= 12 })
    #expect(report.stalls.items.filter { $0.loopName == "actors.Cache" }.isEmpty)
    #expect(report.health.lostRecords == [:])
  }

  @Test func actorsAreNamedByTheirClassesAndThoseWithExecutorsOfTheirOwnByThese() throws {
    let report = try record("names")
    let actors = report.loops.filter { $0.kind == "actor" }.map(\.name)
    #expect(Set(actors) == ["actors.Shelf.Drawer", "actors.Purse", "actors.Guest"])
    #expect(report.loops.contains { $0.name == "clerk" && $0.kind == "queue" })
  }

  @Test func tasksThatHopSeeTheirValuesPrioritiesAndCancellation() throws {
    let report = try record("hops")
    let player = try #require(report.loops.first { $0.name == "actors.Player" })
    #expect(player.iterations >= 20_000)
    // A call that found its actor free waited for nothing, which is known as well.
    #expect(player.delayNs.count >= 20_000)
    #expect(report.health.lostRecords == [:])
  }

  /// A task that completes leaves its actor without a call, and here the job of Dispatch's that ends then was lost.
  @Test func aThreadWhoseJobWasLostDoesNotSeemToServeAnActor() throws {
    let report = try record("crowd")
    #expect(report.health.losses["items"] ?? 0 >= 3_600)
    // What it has served is known with its end, and nothing is served now.
    let lane = report.loops.first { $0.name == "actors.Crowded" }
    #expect(lane == nil || lane?.busyNs == 0 || lane?.iterations != 0)
  }

  /// Its run loop serves the main actor, and the job of no task there: who calls an actor must wait for it.
  @Test func callsOfARunLoopsMainActorAreSeen() throws {
    let program = try bench.swift(
      """
      import Foundation
      actor Cache {
        var lookups = 0
        func lookUp() { lookups += 1 }
      }
      let cache = Cache()
      Task {
        for _ in 0..<100 { await cache.lookUp() }
        exit(5)
      }
      RunLoop.main.run()
      """)
    #expect(try bench.record([program]).exitCode == 5)
    let report = try RecordedReport(of: bench.files.file("store.stallwatch"))
    #expect(report.loops.contains { $0.name == "program.Cache" && $0.iterations >= 99 })
    #expect(report.health.lostRecords == [:])
  }

  @Test func aStormOfTasksIsServedAsWithoutItAndCountedOrLost() throws {
    let report = try record("storm")
    let served = try #require(report.loops.first { $0.name == "actors.Counter" }).iterations
    #expect(served + (report.health.losses["items"] ?? 0) >= 60_000)
    let losses = report.health.lostRecords
    #expect(losses.keys.allSatisfy { ["items", "spans"].contains($0) }, "\(losses)")
  }
}
