import CSQLite
import Foundation
import StallwatchCore
import StallwatchStore

/// Stores in which every table has rows, as they are before they are mutated.
struct SampleStores {
  /// A store on its own.
  let whole: Data
  /// A store whose log lies beside it, with that log, as a killed process leaves them.
  let withLog: (store: Data, log: Data)
  private static let start: Nanoseconds = 1_000 * .second

  init(in folder: String) throws {
    let path = folder + "/sample"
    for number in 1...2 {
      let recorder = try Self.recorder(path, number: UInt64(number))
      recorder.close(endedNs: Self.start + 100 * .second)
    }
    try Self.name(path)
    whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var database: OpaquePointer?
    sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil)
    sqlite3_exec(
      database,
      """
      PRAGMA journal_mode = WAL; UPDATE stalls SET duration_ns = duration_ns + 1; UPDATE loops SET name = name || '!';
      UPDATE timers SET fired = fired + 1; DELETE FROM ticks WHERE number > 30;
      """, nil, nil, nil)
    withLog = (
      try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    )
    sqlite3_close_v2(database)
    try FileManager.default.removeItem(atPath: path)
  }

  private static func name(_ path: String) throws {
    let namer = try StoreNamer(path, checking: false)
    var batch = StoreNamer.Batch()
    let work = NamedCall(
      function: NamedFunction(name: "Work.go(_:)", module: "App"), file: "/src/Work.swift", line: 12)
    let inlined = NamedCall(function: NamedFunction(name: "each", isSystem: true, isThunk: true), isOwnSource: false)
    for (offset, calls) in [(0x1500, [inlined, work]), (0x1510, [work]), (0x15FF, [work]), (0x1FFF, [])] {
      let wealth: SymbolWealth = calls.isEmpty ? .exports : .lines
      batch.answers.append(("0123456789abcdef", UInt64(offset), ImageNames.Answer(wealth: wealth, calls: calls)))
    }
    let function = StackFunction(function: "Work.go(_:)", file: "/src/Work.swift", line: 12, leaf: "each")
    for session in try namer.sessions() {
      for stack in try namer.session(session).stacks.prefix(3) { batch.functions.append((stack, function)) }
    }
    _ = try namer.write(batch)
    namer.close()
  }

  private static func recorder(_ path: String, number: UInt64) throws -> StoreRecorder {
    var process = ProcessIdentity.current()
    process.startTime += number
    process.host = "host"
    process.bootID = "boot"
    var session = SessionRecord(
      process: process, command: ["app", "--fast"], startedAt: 1_777_630_830 * .second, startedNs: start,
      threshold: 50 * .millisecond, origin: "embedded", platform: "linux x86_64")
    session.labels = SessionLabels(
      service: "app", release: "4.2.0", environment: "production", instance: "web-1",
      tags: ["region": "eu", "tier": "free"])
    session.programBuildID = "fedcba9876543210"
    let recorder = try StoreRecorder(path: path, session: session)
    for record in records { recorder.take(record) }
    return recorder
  }

  private static var records: [Record] {
    let main = LoopID(rawValue: 1)
    var records: [Record] = [
      .image(
        ImageRecord(path: "/usr/lib/libexample.so", buildID: "0123456789abcdef", base: 0, start: 0x1000, end: 0x8000))
    ]
    for number in 1...3 as ClosedRange<UInt32> {
      let loop = LoopID(rawValue: number)
      records.append(
        .loop(
          LoopRecord(
            id: loop, name: number == 1 ? "main" : "worker \(number)", threadID: UInt64(4_710 + number),
            isMain: number == 1, startedNs: start)))
      for (index, name) in ["kCFRunLoopDefaultMode", "tracking"].enumerated() {
        records.append(.mode(ModeRecord(loop: loop, index: index, name: name, attachedNs: start)))
        for window in 0..<3 as Range<Nanoseconds> {
          let spans: [Nanoseconds] = [1, 3, 60, 812].map { $0 * .millisecond }
          records.append(
            .profile(
              ProfileDelta(
                loop: loop, mode: index, atNs: start + (1 + window * 61) * .second, entries: 1, iterations: 102,
                starved: 5, metrics: Metric.allCases.map { growth($0, spans) })))
        }
      }
      records.append(.profiledStack(ProfiledStack(loop: loop, frames: [0x1500, 0x1600], count: 3, weight: 99)))
      for tick in 0..<40 as Range<UInt64> {
        records.append(
          .driftTick(
            DriftTick(
              loop: loop, number: tick, dueNs: start + tick * 100 * .millisecond,
              runLoopLateness: tick % 7 == 0 ? nil : 80 * .microsecond * tick,
              gcdLateness: tick % 5 == 0 ? nil : 70 * .microsecond, inOtherModes: tick)))
      }
    }
    let owner = LockOwner(threadID: 4_799, name: "writer", frames: [0x7000, 0x7100])
    for number in 1...30 as ClosedRange<UInt64> {
      let began = start + number * .second
      records.append(
        .stallBegan(
          StallBegan(
            id: StallID(rawValue: number), loop: LoopID(rawValue: UInt32(number % 3 + 1)), mode: Int(number % 2),
            phase: Phase.allCases[Int(number % 4)], depth: 1, kind: number % 9 == 0 ? .congestion : .stall,
            startedNs: began, detectedNs: began + 50 * .millisecond,
            annotations: ["screen": "list", "row": "\(number)"])))
      let lock = BlockedOn(systemCall: "futex", target: "futex", owner: owner)
      let samples = (0..<4).map { (look: Int) -> StackSample in
        let frames: [UInt64] = [0x1500 + number % 4 * 16, 0x1600, 0x2000]
        return StackSample(
          atNs: began + (50 + 3 * Nanoseconds(look)) * .millisecond, weight: 3 * .millisecond,
          activity: look % 2 == 0 ? .blocked : .running, frames: frames,
          blockedOn: look % 2 == 0 ? lock : nil)
      }
      let cause = StallCause(running: 6 * .millisecond, blocked: 6 * .millisecond, starved: 1)
      records.append(.samples(StallSamples(stall: StallID(rawValue: number), samples: samples, cause: cause)))
      guard number < 29 else { continue }
      records.append(
        .stallEnded(
          StallEnded(
            id: StallID(rawValue: number), state: number % 10 == 0 ? .cancelled : .ended,
            duration: number * 90 * .millisecond, phase: .service, reason: number % 10 == 0 ? "suspended" : nil)))
    }
    for number in 1...12 as ClosedRange<UInt64> {
      let timer = TimerID(rawValue: number)
      records.append(
        .timer(
          TimerRecord(
            id: timer, loop: main, name: number % 2 == 0 ? "poll" : nil, kind: number % 3 == 0 ? .mainQueue : .runLoop,
            origin: 0x1500, interval: number % 4 == 0 ? 0 : 20 * .millisecond, tolerance: 0,
            modes: ["kCFRunLoopDefaultMode"], madeNs: start)))
      var delta = TimerDelta(timer: timer, atNs: start + 9 * .second)
      (delta.fired, delta.dropped, delta.droppedByMode) = (460, 7, [(1, 5)])
      delta.lateness = growth(.span, [60 * .microsecond, 800 * .millisecond])
      delta.worst = (800 * .millisecond, start + 1_812 * .millisecond)
      records.append(.timerDelta(delta))
      records.append(
        .stallTimer(
          StallTimer(
            stall: StallID(rawValue: number), timer: timer, late: 1, dropped: 3, worstLateness: 800 * .millisecond)))
    }
    records.append(.loss(LossRecord(what: "spans", loop: main, count: 3)))
    records.append(
      .interval(
        IntervalRecord(
          kind: .blind, loop: main, startedNs: start + 5, endedNs: start + 9, duration: 4, reason: "new-mode")))
    records.append(
      .interval(
        IntervalRecord(
          kind: .excluded, loop: nil, startedNs: start + 50, endedNs: start + 90, duration: 40, reason: "stopped")))
    records.append(
      .health(
        HealthRecord(
          atNs: start + 9 * .second, observerTotal: 400 * .microsecond, monitorCPU: 7 * .millisecond, wakeups: 12,
          watchdogLateness: growth(.span, [55_000, 900_000]))))
    return records
  }

  private static func growth(_ metric: Metric, _ durations: [Nanoseconds]) -> MetricDelta {
    let buckets = Dictionary(durations.map { (HistogramLayout.index(of: $0), UInt32(1)) }, uniquingKeysWith: +)
    return MetricDelta(
      metric: metric, count: UInt64(durations.count), total: durations.reduce(0, +), maximum: durations.max() ?? 0,
      buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
  }
}
