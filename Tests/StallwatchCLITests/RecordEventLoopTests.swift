import TestPrograms
import Testing

/// What `record` sees of a program whose threads serve event loops, and that has no run loop.
@Suite(.serialized) struct RecordEventLoopTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test func itemsThatHoldAnEventLoopAreStalls() throws {
    let run = try bench.record([Built.product("event-loops")])
    #expect(run.exitCode == 7)
    #expect(run.text == "done\n")
    #expect(run.errorText == "")
    let report = try RecordedReport(of: bench.files.file("store.stallwatch"))
    // Neither Dispatch's own thread for descriptors nor the worker is a lane.
    #expect(report.loops.map(\.name).sorted() == ["loop-1", "loop-2"])
    #expect(report.loops.allSatisfy { $0.iterations > 15 && !$0.isMain })
    #expect(report.health.losses.isEmpty)
    // A busy machine may make more stalls, never fewer.
    let held = try #require(report.stall(in: "holdLoop()"))
    let waited = try #require(report.stall(in: "waitWithin()"))
    #expect(held.durationNs >= 150_000_000 && waited.durationNs >= 600_000_000)
    #expect(held.loop != waited.loop)
    #expect(held.state == "ended" && waited.state == "ended")
    #expect(report.stall(in: "waitOnWorker()") == nil)
  }
}
