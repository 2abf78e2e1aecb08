import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("A recording")
struct RecordingTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  @Test("reads back as it was written")
  func sessionLoopsAndModes() throws {
    try Sample.write(
      [
        Sample.loop(), Sample.mode(), Sample.mode(1, name: "Tracking"),
        Sample.loop(LoopID(rawValue: 2), name: "worker \"2\""),
        .loopProgress(LoopProgress(loop: Sample.main, outside: 5, activities: 7)),
        .loopProgress(LoopProgress(loop: Sample.main, outside: 6, activities: 8, endedNs: Sample.start + 9)),
      ], to: path, session: Sample.session(command: ["a \"quoted\" \\ name", "ü\n", ""]))
    let reader = try StoreReader(path: path)
    let session = try #require(try reader.sessions().first)
    #expect(session.record.process == .current())
    #expect(session.record.command == ["a \"quoted\" \\ name", "ü\n", ""])
    #expect(session.record.threshold == 50 * .millisecond)
    #expect(session.ended == .clean)
    #expect(session.exitStatus == nil)
    #expect(session.duration == 100 * .second)

    let loops = try reader.loops(session: session.id)
    #expect(loops.map(\.record.name) == ["main", "worker \"2\""])
    #expect(loops.map(\.record.isMain) == [true, false])
    #expect(loops[0].outside == 11)
    #expect(loops[0].activities == 15)
    #expect(loops[0].endedNs == Sample.start + 9)
    #expect(loops[1].endedNs == nil)
    #expect(try reader.modes(loop: loops[0].id).map(\.name) == ["kCFRunLoopDefaultMode", "Tracking"])
    #expect(try reader.modes(loop: loops[1].id).isEmpty)
  }

  @Test("adds up a profile over its windows, with exact count, sum and maximum")
  func profile() throws {
    let first: [Nanoseconds] = [1_000, 2_000, 70 * .millisecond]
    let second: [Nanoseconds] = [3_000, 4_000]
    let third: [Nanoseconds] = [5_000, 2 * .second + 1]
    try Sample.write(
      [
        Sample.loop(), Sample.mode(), Sample.profile(at: 1 * .second, [Sample.growth(.span, first)]),
        Sample.profile(
          at: 2 * .second, [Sample.growth(.span, second, longestBefore: first.max()!), Sample.growth(.gap, [9])]),
        Sample.profile(at: 85 * .second, [Sample.growth(.span, second, longestBefore: first.max()!)]),
        Sample.profile(at: 140 * .second, [Sample.growth(.span, third, longestBefore: first.max()!)]),
      ], to: path)
    let reader = try StoreReader(path: path)
    let mode = try #require(try reader.modes(loop: 1).first)
    #expect([mode.entries, mode.iterations, mode.starved] == [4, 8, 12])
    #expect(Set(mode.metrics.keys) == [.span, .gap])
    let span = try #require(mode.metrics[.span])
    let all = first + second + second + third
    #expect(span.count == UInt64(all.count))
    #expect(span.total == all.reduce(0, +))
    #expect(span.maximum == 2 * .second + 1)
    #expect(span.histogram.totalCount == UInt64(all.count))
    for duration in Set(all) {
      let times = all.filter { $0 == duration }.count
      #expect(span.histogram.count(at: HistogramLayout.index(of: duration)) == UInt64(times))
    }
    // Three windows: the first minute, the second and the third, each with its own maximum.
    let connection = try ReadAccess(path: path).connection
    #expect(try connection.firstInteger("SELECT count(*) FROM metric_windows WHERE metric = 'span'") == 3)
    let middle = try #require(
      try connection.firstInteger(
        "SELECT max_ns FROM metric_windows WHERE metric = 'span' ORDER BY started_ns LIMIT 1 OFFSET 1"))
    #expect(HistogramLayout.index(of: Nanoseconds(middle)) == HistogramLayout.index(of: 4_000))
  }

  @Test("keeps stalls with their state, phase, annotations and reason")
  func stalls() throws {
    try Sample.write(
      [
        Sample.loop(), Sample.mode(), Sample.began(1, at: 300, annotations: ["screen": "Settings", "\"": "\\"]),
        Sample.ended(1, duration: 300 * .millisecond), Sample.began(2, at: 200), Sample.ended(2, duration: 3 * .second),
        Sample.began(3, at: 400),
        Sample.ended(3, duration: 60 * .millisecond, state: .cancelled, reason: "stopped"), Sample.began(4, at: 100),
        Sample.ended(4, duration: 300 * .millisecond),
      ], to: path)
    let reader = try StoreReader(path: path)
    var stalls: [StoredStall] = []
    try reader.forEachStall { stalls.append($0) }
    #expect(stalls.map(\.began.id.rawValue) == [4, 2, 1, 3])
    #expect(stalls.map(\.state) == [.ended, .ended, .ended, .cancelled])
    #expect(stalls[2].began.annotations == ["screen": "Settings", "\"": "\\"])
    #expect(stalls[2].began.phase == .sources)
    #expect(stalls[2].mode == "kCFRunLoopDefaultMode")
    #expect(stalls[2].detectedAfter == 50 * .millisecond)
    #expect(stalls[3].reason == "stopped")
    #expect(try reader.worstStalls(limit: 2).map(\.began.id.rawValue) == [2, 1])
    #expect(try reader.worstStalls(limit: 0).isEmpty)
    #expect(try reader.worstStalls(limit: -1).isEmpty)
    #expect(try reader.stall(id: stalls[0].id)?.began.id == stalls[0].began.id)
    #expect(try reader.stall(id: 99) == nil)

    let totals = try reader.stallTotals()
    #expect(totals.map(\.count) == [1, 2, 1])
    #expect(totals.map(\.severity) == [.long, .microhang, .severe])
    #expect(totals.map(\.state) == [.cancelled, .ended, .ended])
    #expect(totals.map(\.total) == [60_000_000, 600_000_000, 3_000_000_000])
  }

  @Test("adds up losses, and keeps health and intervals")
  func health() throws {
    let interval = IntervalRecord(
      kind: .excluded, loop: nil, startedNs: Sample.start + 5, endedNs: Sample.start + 9, duration: 40,
      reason: "machine-sleep")
    let blind = IntervalRecord(
      kind: .blind, loop: Sample.main, startedNs: Sample.start + 1, endedNs: Sample.start + 2, duration: 1,
      reason: "new-mode")
    try Sample.write(
      [
        Sample.loop(), .loss(LossRecord(what: "spans", loop: Sample.main, count: 2)),
        .loss(LossRecord(what: "spans", loop: nil, count: 3)),
        .loss(LossRecord(what: "spans", loop: Sample.main, count: 4)),
        .loss(LossRecord(what: "modes", loop: Sample.main, count: 1)), .interval(interval), .interval(blind),
        Sample.health(at: 1, lateness: Sample.growth(.span, [100])),
        Sample.health(at: 2, lateness: Sample.growth(.span, [50, 900], longestBefore: 100), obstacle: "it is in use"),
      ], to: path)
    let health = try StoreReader(path: path).health(session: 1)
    #expect([health.observerTotal, health.monitorCPU, health.wakeups] == [11, 12, 13])
    #expect(health.losses == ["spans": 9, "modes": 1])
    #expect(health.intervals.map(\.reason) == ["new-mode", "machine-sleep"])
    #expect(health.intervals.map(\.loop) == [Sample.main, nil])
    #expect(health.intervals[1].duration == 40)
    #expect(health.signalObstacle == "it is in use")
    #expect(health.watchdogLateness?.count == 3)
    #expect(health.watchdogLateness?.total == 1_050)
    #expect(health.watchdogLateness?.maximum == 900)
    #expect(health.trouble == nil)
  }

  @Test("ends as one file that only its owner may read")
  func oneFile() throws {
    try Sample.write([Sample.loop()], to: path)
    #expect(Array(folder.contents.keys) == ["store.db"])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("keeps others out while it goes on")
  func privacy() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { recorder.close(endedNs: Sample.start) }
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  #if os(Linux)
    @Test("does not wake up while there is nothing to write")
    func idle() throws {
      let process = try StoreWriterProgram.start(store: path, stalls: -1)
      defer {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      // Longer than any interval: a thread that polled by it would not stand still for once.
      #expect(
        try eventually {
          let before = try switches(of: process.processIdentifier)
          usleep(1_000_000)
          return try switches(of: process.processIdentifier) == before
        })
    }

    /// How often the writing thread of a process was put to sleep or interrupted so far.
    private func switches(of pid: Int32) throws -> [Substring] {
      for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
        let folder = "/proc/\(pid)/task/\(task)/"
        guard try String(contentsOfFile: folder + "comm", encoding: .utf8) == "stallwatch-stor\n" else { continue }
        return try String(contentsOfFile: folder + "status", encoding: .utf8).split(separator: "\n")
          .filter { $0.contains("ctxt_switches") }
      }
      Issue.record("no writing thread")
      return []
    }
  #endif

  @Test("has its stall on disk at once, without waiting for company")
  func stallIsWrittenAtOnce() throws {
    var configuration = StoreRecorder.Configuration.patient
    configuration.gatherTime = 1_000 * .second
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    defer { recorder.close(endedNs: Sample.start) }
    for record in [Sample.loop(), Sample.mode(), Sample.began(1, at: 0)] { recorder.take(record) }
    #expect(try eventually { try StoreReader(path: path).worstStalls(limit: 1).first?.state == .began })
  }

  @Test("writes other records a little later")
  func gathered() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { recorder.close(endedNs: Sample.start) }
    recorder.take(Sample.loop())
    #expect(try eventually { try StoreReader(path: path).loops(session: 1).count == 1 })
  }

  @Test("counts what belongs to a loop that was lost, and goes on")
  func orphans() throws {
    try Sample.write(
      [
        Sample.mode(), Sample.profile(at: 0, []), Sample.began(1, at: 0), Sample.ended(1, duration: 1),
        .loopProgress(LoopProgress(loop: Sample.main, outside: 1, activities: 1)), Sample.loop(),
      ], to: path)
    let reader = try StoreReader(path: path)
    #expect(try reader.loops(session: 1).count == 1)
    #expect(try reader.health(session: 1).losses == ["records": 4])
  }

  @Test("cancels at its end a stall whose own end never came")
  func endNeverCame() throws {
    try Sample.write([Sample.loop(), Sample.mode(), Sample.began(1, at: 0)], to: path)
    let reader = try StoreReader(path: path)
    var stalls: [StoredStall] = []
    try reader.forEachStall { stalls.append($0) }
    #expect(stalls.map(\.state) == [.cancelled])
    #expect(stalls.map(\.reason) == ["end-unknown"])

    // So it is read, too, where the disk had no room for that.
    let connection = try WritableStore.open(path, creating: false, busyTimeout: 1 * .second)
    try connection.run("UPDATE stalls SET state = 'began', severity = NULL, duration_ns = NULL, reason = NULL")
    let again = try StoreReader(path: path)
    #expect(try again.stall(id: 1)?.state == .cancelled)
    #expect(try again.stall(id: 1)?.reason == "end-unknown")
    #expect(try again.worstStalls(limit: 1).isEmpty)
    #expect(try again.stallTotals().map(\.state) == [.cancelled])
  }

  @Test("takes figures at the edge of their types")
  func extremes() throws {
    let metric = MetricDelta(
      metric: .span, count: .max, total: .max, maximum: .max, buckets: [(index: 3_583, count: .max)])
    try Sample.write(
      [
        Sample.loop(), Sample.mode(), Sample.profile(at: 0, [metric]), Sample.profile(at: 0, [metric]),
        .loss(LossRecord(what: "spans", loop: nil, count: .max)),
        .loss(LossRecord(what: "spans", loop: nil, count: .max)),
        .loopProgress(LoopProgress(loop: Sample.main, outside: .max, activities: .max)),
        .loopProgress(LoopProgress(loop: Sample.main, outside: .max, activities: .max)),
        Sample.began(1, at: 0), Sample.ended(1, duration: .max),
      ], to: path)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().first?.ended == .clean)
    #expect(try reader.modes(loop: 1).first?.metrics[.span]?.total == UInt64(Int64.max))
    #expect(try reader.worstStalls(limit: 1).first?.duration == UInt64(Int64.max))
    #expect(try reader.health(session: 1).losses == ["spans": UInt64(Int64.max)])
  }

  @Test("takes nothing after its end, nor in a forked child")
  func refusesAfterwards() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    recorder.close(endedNs: Sample.start)
    recorder.close(endedNs: Sample.start)
    #expect(!recorder.take(Sample.loop()))
    let other = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    other.abandonAfterFork()
    #expect(!other.take(Sample.loop()))
    other.close(endedNs: Sample.start)
    #expect(try StoreReader(path: path).sessions().map(\.ended) == [.clean, .running])
  }

  @Test("reports the writing thread's CPU time")
  func threadCPU() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    recorder.take(Sample.loop())
    #expect(recorder.flush(timeout: 10 * .second))
    #expect(recorder.cost.cpu > 0)
    recorder.close(endedNs: Sample.start)
  }

  @Test("charges no flush with what opening the store took")
  func flushCPU() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    recorder.take(Sample.health(at: Sample.start))
    #expect(recorder.flush(timeout: 10 * .second))
    let cost = recorder.cost
    recorder.close(endedNs: Sample.start)
    // Opening makes the whole schema, which takes some fifty times as much as a flush without figures of loops.
    #expect(cost.flushCPU > 0 && cost.flushCPU < cost.cpu / 2)
  }
}
