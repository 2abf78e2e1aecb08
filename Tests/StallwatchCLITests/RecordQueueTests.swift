import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// What `record` sees of Dispatch's queues and of Swift's pool, and what stays as without it.
@Suite(.serialized) struct RecordQueueTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  private func report() throws -> RecordedReport {
    try RecordedReport(of: bench.files.file("store.stallwatch"))
  }

  private func record(_ part: String, prints text: String = "", options: [String] = []) throws -> RecordedReport {
    let run = try bench.record([Built.product("dispatch-queues"), part], options: options)
    #expect(run.exitCode == 5)
    #expect(run.text == text + "done\n")
    #expect(run.errorText == "")
    return try report()
  }

  @Test func anItemThatWaitsBehindAnotherIsAStallWithThatOnesFunction() throws {
    let report = try record("delays")
    let lane = try #require(report.loops.first { $0.name == "images" })
    #expect(lane.kind == "queue")
    #expect(lane.iterations == 2)
    #expect(lane.stallCount == 1)
    let stall = try #require(report.stall(in: "resizeImage()"))
    #expect(stall.state == "ended")
    #expect(report.health.lostRecords == [:])
  }

  /// The first item brings the monitor in, when the second one waits already.
  @Test func anItemThatWaitedBeforeTheMonitorCameIsAStallToo() throws {
    let program = try bench.swift(
      """
      import Dispatch
      import Glibc
      @inline(never) @_optimize(none) func migrateAtStart() { usleep(1_500_000) }
      let (queue, done) = (DispatchQueue(label: "early"), DispatchSemaphore(value: 0))
      queue.async { migrateAtStart() }
      queue.async { done.signal() }
      done.wait()
      queue.sync {}
      """)
    #expect(try bench.record([program]).exitCode == 0)
    let report = try report()
    let stall = try #require(report.stall(in: "migrateAtStart()"))
    #expect(stall.loopName == "early" && stall.state == "ended")
    #expect(try waiter(of: stall)?.contains("closure #2") == true)
    let lane = try #require(report.loops.first { $0.name == "early" })
    #expect(lane.stallCount == 1 && lane.iterations == 3)
    // The first waited for the monitor alone.
    #expect(lane.delayNs.count == 2)
    #expect(report.health.lostRecords == [:])
  }

  @Test func aStallSaysWhoWaited() throws {
    for (part, functions, waiter) in [
      ("waiters", ["resizeImage()"], "closure #3 in static DispatchQueues.keepWaiting()"),
      ("waiters", ["computeInSync()"], "drawFunction"),
      // They fill the pool together, so chance decides which of them has most of the looks.
      ("pool", ["readSlowly()", "waitForServer()"], "in static DispatchQueues.fillPool()"),
    ] {
      let report = try record(part)
      let stall = try #require(functions.lazy.compactMap { report.stall(in: $0) }.first)
      #expect(try self.waiter(of: stall)?.contains(waiter) == true)
    }
  }

  @Test func workItemsOfAConcurrentQueueAreSeenAndBarriersStayBarriers() throws {
    let report = try record("items", prints: "0 of 501\n")
    let stall = try #require(report.stall(in: "writeAlone()"))
    #expect(stall.loopName == "wide")
    #expect(try waiter(of: stall)?.contains("closure #2 in static DispatchQueues.enqueueItems()") == true)
    // Its pool is not starved: the barrier leaves threads free.
    if ProcessInfo.processInfo.activeProcessorCount > 1 {
      #expect(try show(stall.id).contains("though threads were free, as behind a barrier."))
    }
    let lane = try #require(report.loops.first { $0.name == "wide" })
    #expect(lane.iterations == 505)
    // Two ends that it was notified of, and a `sync`.
    #expect(report.loops.first { $0.name == "ends" }?.iterations == 3)
  }

  @Test func waitingForATurnIsAStallAndWhatSyncRunsIsServed() throws {
    let report = try record("syncs", prints: "42 1250100000\n")
    for (lane, function, waiter) in [
      ("images", "resizeImage()", "static DispatchQueues.waitForTurn(in:)"),
      ("synced", "computeInSync()", "closure #3 in static DispatchQueues.waitInSync()"),
      ("inner", "sortBeforeOthers()", "static DispatchQueues.readLate(in:)"),
    ] {
      let stall = try #require(report.stall(in: function), "\(lane)")
      #expect(stall.loopName == lane)
      #expect(stall.state == "ended", "\(lane)")
      #expect(try self.waiter(of: stall)?.contains(waiter) == true, "\(lane)")
    }
    for (lane, count) in [("images", 2), ("synced", 2), ("outer", 1), ("inner", 1), ("asked", 4), ("lock", 100_000)] {
      #expect(report.loops.first { $0.name == lane }?.iterations == count, "\(lane)")
    }
    #expect(report.health.lostRecords == [:])
  }

  @Test func whatTrapsInSyncTrapsAsWithoutIt() throws {
    let program = try bench.swift(
      """
      import Foundation
      struct Thrown: Error {}
      let queue = DispatchQueue(label: "first")
      queue.async {}
      queue.sync {}
      do { try queue.sync { throw Thrown() } } catch { print("caught") }
      fflush(nil)
      switch CommandLine.arguments[1] {
      case "own": queue.async { queue.sync { print("never") } }
      case "nested": queue.sync { queue.sync { print("never") } }
      default: queue.sync { dispatchPrecondition(condition: .notOnQueue(queue)) }
      }
      DispatchSemaphore(value: 0).wait()
      """)
    for part in ["own", "nested", "precondition"] {
      let (alone, recorded) = (try TestRun.run([program, part]), try bench.record([program, part]))
      #expect(recorded.text == "caught\n" && recorded.text == alone.text)
      #expect(recorded.exitCode == alone.exitCode && alone.exitCode != 0)
    }
  }

  @Test func handlersOfSourcesAreServedAndLiveAsLongAsWithoutIt() throws {
    let alone = try TestRun.run([Built.product("dispatch-queues"), "sources"])
    let words = "first 1, still first, second 2, item, with quality, last, cancelled"
    #expect(alone.text == "\(words) 0\ndone\n")
    let report = try record("sources", prints: "\(words) 0\n")
    let stall = try #require(report.stall(in: "handleTimer()"))
    #expect(stall.loopName == "sourced")
    #expect(stall.state == "ended")
    // Events, and what was enqueued or waited for by `sync`.
    for (lane, count) in [("sourced", 1 + 1), ("events", 5 + 2)] {
      #expect(report.loops.first { $0.name == lane }?.iterations == count, "\(lane)")
    }
    #expect(report.loops.allSatisfy { !$0.name.hasPrefix("com.apple") })
    #expect(report.health.lostRecords == [:])
  }

  /// These functions of Swift's have neither unwind tables nor frame records, and optimised code has no records either.
  @Test func waitsWithATimeoutAreThoseOfTheFunctionThatWaits() throws {
    let program = try bench.swift(
      """
      import Foundation
      @inline(never) func awaitReply() -> Bool {
        DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2) == .timedOut
      }
      @inline(never) func awaitBatch() -> Int {
        let group = DispatchGroup()
        group.enter()
        defer { group.leave() }
        return group.wait(wallTimeout: .now() + 0.2) == .timedOut ? 2 : 0
      }
      @inline(never) func convert() -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["0.2"]
        try! process.run()
        process.waitUntilExit()
        return process.terminationStatus
      }
      DispatchQueue.main.async { print(awaitReply()) }
      DispatchQueue.main.async { print(awaitBatch()) }
      DispatchQueue.main.async { print(convert()) }
      DispatchQueue.main.async { exit(0) }
      dispatchMain()
      """, flags: ["-O"])
    let run = try bench.record([program])
    #expect(run.text == "true\n2\n0\n")
    let report = try report()
    for function in ["awaitReply()", "awaitBatch()", "convert()"] {
      #expect(report.stall(in: function)?.loopName == "main", "\(function)")
    }
  }

  /// A daemon may consist of handlers alone.
  @Test func aProgramOfHandlersAloneIsSeen() throws {
    let program = try bench.swift(
      """
      import Foundation
      signal(SIGUSR1, SIG_IGN)
      @inline(never) @_optimize(none) func reloadConfig() { usleep(200_000) }
      let queue = CommandLine.arguments[1] == "main" ? DispatchQueue.main : DispatchQueue(label: "daemon")
      let (reload, timer) = (
        DispatchSource.makeSignalSource(signal: SIGUSR1, queue: queue), DispatchSource.makeTimerSource(queue: queue))
      reload.setEventHandler { reloadConfig() }
      var ticks = 0
      timer.setEventHandler {
        ticks += 1
        if ticks == 3 { kill(getpid(), SIGUSR1) }
        if ticks == 30 { exit(3) }
      }
      timer.schedule(deadline: .now(), repeating: .milliseconds(10))
      reload.activate()
      timer.activate()
      dispatchMain()
      """)
    #expect(try bench.record([program, "main"]).exitCode == 3)
    let main = try report()
    #expect(main.stall(in: "reloadConfig()")?.loopName == "main")
    #expect(main.health.lostRecords == [:])
    #expect(try bench.record([program, "queue"]).exitCode == 3)
    let lane = try #require(try report().loops.first { $0.name == "daemon" })
    #expect(lane.kind == "queue" && lane.iterations >= 30 - 2)
  }

  /// What `show` says of a stall, as one line.
  private func show(_ id: Int) throws -> String {
    let shown = try TestRun.run([Built.product("stallwatch"), "show", bench.files.file("store.stallwatch"), "\(id)"])
    return shown.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// What `show` says of who waited first in a stall.
  private func waiter(of stall: RecordedReport.Stalls.Item) throws -> String? {
    let shown = try TestRun.run([
      Built.product("stallwatch"), "show", bench.files.file("store.stallwatch"), "\(stall.id)", "--format", "json",
    ])
    return try JSONDecoder().decode(Detail.self, from: shown.output).waiter?.name
  }

  /// What `show` says of who waited.
  private struct Detail: Decodable {
    struct Frame: Decodable { var name: String? }
    var verdict: String
    var waiter: Frame?
  }

  @Test func anItemThatWaitsBehindWhatNoHookShowsIsAStallWithThatFunction() throws {
    let report = try record("hidden")
    let stall = try #require(report.stall(in: "sortBeforeOthers()"))
    #expect(stall.loopName == "other")
    #expect(stall.state == "ended")
    // In its own queue, the one that holds the others waits for nobody.
    #expect(report.stalls.items.allSatisfy { $0.loopName != "one" })
  }

  /// With a second between two looks, each thread is met because the first look takes in all of them.
  @Test(arguments: [[], ["--sample-every", "1s"]])
  func aStarvedPoolIsOneStallThatNamesEveryCulprit(options: [String]) throws {
    let report = try record("pool", options: options)
    let lane = try #require(report.loops.first { $0.kind == "pool" })
    #expect(lane.stallCount == 1)
    let stalls = report.stalls.items.filter { $0.durationNs >= 300_000_000 }
    #expect(stalls.count == 1)
    let id = try #require(stalls.first?.id)
    let shown = try show(id)
    #expect(shown.contains("readSlowly()") && shown.contains("was starved for"))
    if ProcessInfo.processInfo.activeProcessorCount > 1 { #expect(shown.contains("waitForServer()")) }
  }

  @Test func whatNobodyWaitsForIsNoStall() throws {
    let report = try record("harmless")
    #expect(Set(report.loops.map(\.name)).isSuperset(of: ["alone", "suspended", "wide"]))
    #expect(report.stalls.items.filter { $0.durationNs >= 100_000_000 }.isEmpty)
    #expect(report.health.losses["items"] == nil)
  }

  /// What comes later takes no room of what waits, however much of it there is.
  @Test func timeoutsThatNeverComeHideNothing() throws {
    let (alone, came) = (try TestRun.run([Built.product("dispatch-queues"), "later"]), "302\n")
    #expect(alone.text == came + "done\n")
    let report = try record("later", prints: came)
    let stall = try #require(report.stall(in: "resizeImage()"))
    #expect(stall.loopName == "images" && stall.state == "ended")
    #expect(report.loops.first { $0.name == "later" }?.iterations == 200 + 1 + 1)
    #expect(try #require(report.loops.first { $0.kind == "pool" }).iterations >= 40_000 + 200)
    #expect(report.health.lostRecords == [:])
  }

  @Test func whatADelayedBlockKeptGoesWithinItsItem() throws {
    let program = try bench.swift(
      """
      import Foundation
      final class Cache: Sendable { deinit { usleep(200_000) } }
      let (queue, done) = (DispatchQueue(label: "later"), DispatchSemaphore(value: 0))
      do {
        let cache = Cache()
        queue.asyncAfter(deadline: .now() + 0.01) { withExtendedLifetime(cache) {} }
      }
      queue.asyncAfter(deadline: .now() + 0.02) { done.signal() }
      done.wait()
      """)
    #expect(try bench.record([program]).exitCode == 0)
    let lane = try #require(try report().loops.first { $0.name == "later" })
    #expect(try #require(lane.busyNs) >= 200_000_000)
  }

  /// The first item brings the monitor in. Others are enqueued and served while it starts, on threads that come
  /// meanwhile.
  @Test func itemsThatAreServedWhileTheMonitorStartsCount() throws {
    let program = try bench.swift(
      """
      import Foundation
      let group = DispatchGroup()
      let queues = (0..<200).map { DispatchQueue(label: "connection \\($0)") }
      for queue in queues {
        queue.async(group: group) {}
        usleep(50)
      }
      group.wait()
      """)
    let runs = 8
    for _ in 0..<runs { #expect(try bench.record([program]).exitCode == 0) }
    let report = try report()
    #expect(report.loops.reduce(0) { $0 + $1.iterations } == UInt64(runs * 200))
    #expect(report.health.lostRecords == [:])
  }

  /// A server may name a queue for each of its connections.
  @Test func moreLabelsThanThereAreLanesShareOne() throws {
    let program = try bench.swift(
      """
      import Foundation
      @inline(never) @_optimize(none) func compactDatabase() { usleep(200_000) }
      let group = DispatchGroup()
      let queues = (0..<1_000).map { DispatchQueue(label: "connection \\($0)") }
      // The monitor comes with the first item that is served. From then on, lanes come in the order of the items.
      queues[0].async(group: group) {}
      group.wait()
      for queue in queues { queue.async(group: group) {} }
      group.wait()
      queues[999].async(group: group) { compactDatabase() }
      usleep(20_000)
      queues[999].async(group: group) {}
      group.wait()
      """)
    #expect(try bench.record([program]).exitCode == 0)
    let report = try report()
    let stall = try #require(report.stall(in: "compactDatabase()"))
    #expect(stall.loopName == "other queues" && stall.state == "ended")
    // As many as have lanes of their own (``LaneTable``), and the one that the others share.
    #expect(report.loops.count == 224 + 1)
    #expect(report.loops.reduce(0) { $0 + $1.iterations } == 1_003)
    #expect(report.health.lostRecords == [:])
  }

  /// A program that ends while an item waits behind another one.
  private func delayedProgram(endingBy end: String) throws -> String {
    try bench.swift(
      """
      import Foundation
      @inline(never) func resizeForever() { while true { usleep(100_000) } }
      let queue = DispatchQueue(label: "images")
      queue.async {}
      queue.sync {}
      queue.async { resizeForever() }
      usleep(20_000)
      queue.async {}
      usleep(500_000)
      \(end)
      """)
  }

  /// Such an end takes what is known with it, unless the hooks are asked before.
  @Test func aDelayInWhichTheProgramEndsWithoutItsExitHandlersIsAStall() throws {
    let program = try delayedProgram(endingBy: "_exit(3)")
    #expect(try bench.record([program]).exitCode == 3)
    let stall = try #require(try report().stall(in: "resizeForever()"))
    #expect(stall.state == "ended" && stall.durationNs >= 350_000_000)
  }

  @Test func aDelayInWhichTheProgramIsKilledIsFatalAndKnown() throws {
    let program = try delayedProgram(endingBy: "kill(getpid(), SIGKILL)")
    _ = try bench.record([program])
    let stall = try #require(try report().stall(in: "resizeForever()"))
    #expect(stall.state == "fatal" && stall.durationNs >= 350_000_000)
  }

  @Test func manyItemsAreServedAsWithoutItAndCountedOrLost() throws {
    let alone = try TestRun.run([Built.product("dispatch-queues"), "many"])
    #expect(alone.text == "44999850000 44999850000\ndone\n")
    let run = try bench.record([Built.product("dispatch-queues"), "many"])
    #expect(run.text == alone.text)
    #expect(run.exitCode == alone.exitCode)
    let report = try report()
    #expect(
      report.health.lostRecords.keys.allSatisfy { ["items", "spans"].contains($0) }, "\(report.health.losses)")
    let served = report.loops.filter { $0.name.hasPrefix("many ") }.reduce(0) { $0 + $1.iterations }
    #expect(served > 0 && served + (report.health.losses["items"] ?? 0) >= 300_000)
  }
}
