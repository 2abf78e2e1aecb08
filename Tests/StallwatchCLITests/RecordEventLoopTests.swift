import TestPrograms
import Testing

/// What `record` sees of a program whose threads serve event loops, and that has no run loop.
@Suite(.serialized) struct RecordEventLoopTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test func itemsThatHoldAnEventLoopAreStalls() throws {
    try judge(Built.product("event-loops"), says: "")
  }

  @Test func eventLoopsOfAProgramWithTheRuntimeLinkedInAreWatchedByARuntimeOfOurOwn() throws {
    let program = bench.files.file("event-loops")
    let folder = "\(Built.package)/Tests/Programs"
    try Built.swift(
      ["\(folder)/EventLoops/main.swift"], to: program,
      flags: ["-static-stdlib", "-g", "-swift-version", "6", "-I", "\(folder)/CLinuxCalls"])
    try judge(program, says: "only event loops are watched")
  }

  /// What serves an item is known by the frames below it, and the hooks' own frames are among these.
  @Test func itemsOfAWorkerAreNoEventLoopWithTheLibraryAsItIsShipped() throws {
    let folder = try TestDirectory()
    try Built.preload(into: folder.path, asShipped: true)
    let run = try bench.record(
      [Built.product("event-loops")], environment: ["STALLWATCH_LIBRARIES": folder.path])
    #expect(run.exitCode == 7 && run.errorText.isEmpty, "\(run.errorText)")
    let loops = try RecordedReport(of: bench.files.file("store.stallwatch")).loops.filter { $0.kind == "event loop" }
    #expect(loops.map(\.name).sorted() == ["loop-1", "loop-2"])
  }

  @Test func aLoopWhoseThreadHasTheNameOfItsMakerHasNone() throws {
    let run = try bench.record([Built.product("event-loops"), "unnamed"])
    #expect(run.exitCode == 7 && run.text == "done\n")
    let loops = try RecordedReport(of: bench.files.file("store.stallwatch")).loops.filter { $0.kind == "event loop" }
    #expect(loops.count == 1 && loops.allSatisfy { $0.name.hasPrefix("thread ") }, "\(loops.map(\.name))")
  }

  private func judge(_ program: String, says remark: String) throws {
    let run = try bench.record([program])
    #expect(run.exitCode == 7)
    #expect(run.text == "done\n")
    #expect(run.errorText.contains(remark) || remark.isEmpty && run.errorText.isEmpty, "\(run.errorText)")
    let report = try RecordedReport(of: bench.files.file("store.stallwatch"))
    // Neither Dispatch's own thread for descriptors nor the worker is a lane. A queue is a lock by `sync`.
    let loops = report.loops.filter { $0.kind == "event loop" }
    #expect(loops.map(\.name).sorted() == ["loop-1", "loop-2"])
    #expect(report.loops.allSatisfy { $0.kind == "event loop" || ["pool", "queue"].contains($0.kind) && !$0.isMain })
    #expect(loops.allSatisfy { $0.iterations > 15 && !$0.isMain })
    #expect(report.health.lostRecords == [:])
    // A busy machine may make more stalls, never fewer.
    let held = try #require(report.stall(in: "holdLoop()"))
    let waited = try #require(report.stall(in: "waitWithin()"))
    #expect(held.durationNs >= 150_000_000 && waited.durationNs >= 600_000_000)
    #expect(held.loop != waited.loop)
    #expect(held.state == "ended" && waited.state == "ended")
    #expect(report.stall(in: "waitOnWorker()") == nil)
  }
}
