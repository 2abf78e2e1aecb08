import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Merging stores")
struct MergeTests {
  let folder = TemporaryFolder()
  var target: String { folder.file("all.db") }

  /// A session of a process of its own, with something in every table.
  private func store(_ number: Int, name: String? = nil, stalls: UInt64 = 3, closing: Bool = true) throws -> String {
    let path = folder.file(name ?? "\(number).db")
    var process = Sample.deadProcess
    process.pid = Int32(number)
    let timer = TimerID(rawValue: 1)
    var records: [Record] = [
      Sample.loop(), Sample.mode(), Sample.mode(1, name: "private \(number)"), .image(Sample.image),
      Sample.profile(at: 1, [Sample.growth(.span, [UInt64(number) * .millisecond, 5])]),
      .timer(
        TimerRecord(
          id: timer, loop: Sample.main, name: "poll", kind: .runLoop, origin: 0, interval: .second, tolerance: 0,
          modes: ["x"], madeNs: Sample.start)),
      .timerDelta(
        {
          var delta = TimerDelta(timer: timer, atNs: Sample.start + 5)
          (delta.fired, delta.dropped, delta.droppedByMode) = (UInt64(number), 2, [(1, 2)])
          return delta
        }()),
      .driftTick(
        DriftTick(
          loop: Sample.main, number: 1, dueNs: Sample.start + 7, runLoopLateness: 3_000_000, gcdLateness: 2,
          inOtherModes: 0)),
      .interval(
        IntervalRecord(
          kind: .blind, loop: Sample.main, startedNs: Sample.start, endedNs: Sample.start + 9, duration: 9,
          reason: "new-mode")),
      .loss(LossRecord(what: "spans", loop: Sample.main, count: UInt64(number))), Sample.health(at: 9),
      .profiledStack(ProfiledStack(loop: Sample.main, frames: [1, 2], count: 3, weight: 4)),
    ]
    for stall in 1...stalls {
      records += [
        Sample.began(stall, at: stall), Sample.samples(stall, [Sample.sample(at: stall, .blocked, on: Sample.lock)]),
        .stallTimer(
          StallTimer(stall: StallID(rawValue: stall), timer: timer, late: 1, dropped: 1, worstLateness: stall)),
        Sample.ended(stall, duration: UInt64(number) * 60 * .millisecond),
      ]
    }
    let session = Sample.session(process: process)
    if closing { try Sample.write(records, to: path, session: session) } else { try leave(records, in: path, session) }
    return path
  }

  /// Writes records as a process does that dies before it closes its session.
  private func leave(_ records: [Record], in path: String, _ session: SessionRecord) throws {
    let writer = try StoreWriter(path: path, session: session, configuration: .init())
    try writer.write(records, trouble: nil)
    writer.fold()
  }

  /// All that a reader sees of each session, without the numbers of rows.
  private func sessions(of path: String) throws -> [String: [String]] {
    let reader = try StoreReader(path: path)
    var found: [String: [String]] = [:]
    for session in try reader.sessions() {
      var lines = [
        "\(session.record) \(session.ended) \(session.duration)", "\(try reader.health(session: session.id))",
      ]
      lines += try reader.images(session: session.id).map { "\($0)" }
      for loop in try reader.loops(session: session.id) {
        lines.append("\(loop.record) \(loop.outside) \(loop.activities)")
        for mode in try reader.modes(loop: loop.id) {
          lines.append("\(mode.name) \(mode.entries) \(mode.iterations) \(mode.starved)")
          for (metric, found) in mode.metrics.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("\(metric) \(found.count) \(found.total) \(found.maximum)")
          }
        }
        lines += try reader.profile(loop: loop.id).map { "\($0.frames) \($0.count) \($0.weight)" }
      }
      try reader.forEachTick(session: session.id) { lines.append("\($0.tick) \($0.machine ?? 0)") }
      try reader.forEachTickWindow(session: session.id) { lines.append("\($1)") }
      try reader.forEachTimerWindow(session: session.id) { lines.append("\($1)") }
      for timer in try reader.timers(session: session.id) {
        lines.append(
          "\(timer.record) \(timer.ledger.fired) \(timer.drops) \(timer.stalls.count) \(timer.stalls.dropped)")
      }
      try reader.forEachStall { stall in
        guard stall.session == session.id else { return }
        lines.append("\(stall.began) \(stall.mode) \(stall.state) \(stall.duration)")
        lines.append("\(try reader.samples(stall: stall.id))")
        lines += try reader.timers(stall: stall.id).map { "\($0.late) \($0.dropped) \($0.worstLateness)" }
      }
      found["\(session.record.process.pid)"] = lines
    }
    return found
  }

  private func content(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  @Test("keeps each session as it was, whatever numbers its rows had")
  func sum() throws {
    let parts = try (1...5).map { try store($0, stalls: UInt64($0)) }
    let before = try parts.map(content)
    let merger = try StoreMerger(into: target)
    for part in parts {
      #expect(try merger.add(part) == outcome(added: 1))
    }
    var expected: [String: [String]] = [:]
    for part in parts { expected.merge(try sessions(of: part)) { first, _ in first } }
    #expect(try sessions(of: target) == expected)
    #expect(expected.count == 5)
    #expect(try parts.map(content) == before)
  }

  @Test("copies every table, each after those that it refers to, with every reference that the schema has")
  func tables() throws {
    let connection = try WritableStore.open(target, creating: true, busyTimeout: 0)
    // Names belong to images, not to sessions: NamesTests has them merged.
    let names: Set = ["named_images", "texts", "names", "stack_functions"]
    #expect(Set(MergedTable.all.map(\.name)) == Set(Schema.tables).subtracting(names).subtracting(["sessions"]))
    var copied: Set = ["sessions"]
    for table in MergedTable.all {
      var references: [String: String] = [:]
      let statement = try connection.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('\(table.name)')")
      while try statement.step() {
        var row = statement.row
        references[try row.text()] = try row.text()
      }
      #expect(Set(references.values).isSubset(of: copied))
      let hasID = try connection.firstInteger(
        "SELECT count(*) FROM pragma_table_info('\(table.name)') WHERE name = 'id'")
      #expect(table.hasID == (hasID == 1))
      if table.hasID { references["id"] = table.name }
      // The schema says why it declares no reference here.
      let undeclared = [
        "time_windows": ["mode": "modes"], "metric_windows": ["mode": "modes"], "ticks": ["loop": "loops"],
        "tick_windows": ["loop": "loops"], "timer_windows": ["timer": "timers"],
      ]
      references.merge(undeclared[table.name] ?? [:]) { first, _ in first }
      #expect(table.references == references, "\(table.name)")
      copied.insert(table.name)
    }
  }

  @Test("changes nothing when it is repeated")
  func repeated() throws {
    let parts = try (1...3).map { try store($0) }
    for part in parts { _ = try StoreMerger(into: target).add(part) }
    let before = try content(of: target)
    for part in parts + parts.reversed() {
      #expect(try StoreMerger(into: target).add(part) == outcome(known: 1))
    }
    #expect(try content(of: target) == before)
  }

  @Test("brings in a merged store like any other, and the sessions that are new alone")
  func merged() throws {
    let (first, second) = (try store(1), try store(2))
    _ = try StoreMerger(into: target).add(first)
    let both = folder.file("both.db")
    let merger = try StoreMerger(into: both)
    #expect(try merger.add(second) == outcome(added: 1))
    #expect(try merger.add(target) == outcome(added: 1))
    #expect(try StoreMerger(into: target).add(both) == outcome(added: 1, known: 1))
    #expect(try sessions(of: target) == sessions(of: both))
  }

  @Test("puts a session that has gone on in the place of what was known of it")
  func goneOn() throws {
    let early = try store(1, name: "early.db", stalls: 1, closing: false)
    let late = try store(1, name: "late.db", stalls: 4)
    #expect(try StoreMerger(into: target).add(early) == outcome(added: 1))
    #expect(try sessions(of: target)["1"]?.first?.contains("killed") == true)
    #expect(try StoreMerger(into: target).add(late) == outcome(replaced: 1))
    #expect(try sessions(of: target) == sessions(of: late))
    // What is older tells nothing new.
    #expect(try StoreMerger(into: target).add(early) == outcome(known: 1))
    #expect(try sessions(of: target) == sessions(of: late))
  }

  @Test("leaves out a session that is still being recorded")
  func running() throws {
    let path = folder.file("running.db")
    try leave([Sample.loop()], in: path, Sample.session())
    #expect(try StoreMerger(into: target).add(path) == outcome(running: 1))
    #expect(try StoreReader(path: target).sessions().isEmpty)
  }

  @Test("reads stores of older versions", arguments: 1..<Schema.version)
  func olderVersions(version: Int) throws {
    let fixture = try Fixture.version(version, in: folder)
    let merger = try StoreMerger(into: target)
    let all = try StoreReader(path: fixture).sessions().count
    #expect(try merger.add(fixture).added == all)
    #expect(try sessions(of: target) == sessions(of: fixture))
  }

  @Test("takes nothing of a damaged store")
  func damaged() throws {
    let good = try store(1)
    _ = try StoreMerger(into: target).add(good)
    let before = try content(of: target)
    let damages = [
      "UPDATE metric_windows SET histogram = x'00'", "UPDATE stalls SET phase = 'nothing'",
      "PRAGMA foreign_keys = OFF; UPDATE stalls SET loop = 99",
      "UPDATE stalls SET id = 9223372036854775807 WHERE number = 1",
      "PRAGMA foreign_keys = OFF; DELETE FROM stacks", "UPDATE stalls SET severity = 'junk'",
      "UPDATE stalls SET duration_ns = -1 WHERE number = 1", "UPDATE timers SET id = 1 << 41",
      "UPDATE time_windows SET cells = x'00'", "UPDATE time_windows SET length_ns = -1",
    ]
    for (number, damage) in damages.enumerated() {
      let bad = try store(number + 10)
      let connection = try WritableStore.open(bad, creating: false, busyTimeout: 0)
      try connection.run("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; " + damage)
      WritableStore.fold(connection)
      #expect {
        _ = try StoreMerger(into: target).add(bad)
      } throws: { error in
        guard case StoreError.damaged(let path, _) = error else { return false }
        return path == bad
      }
      #expect(try content(of: target) == before, "\(damage)")
    }
  }

  @Test("stays readable, whatever durations and figures add up to")
  func hugeFigures() throws {
    let merger = try StoreMerger(into: target)
    for number in 1...3 {
      let path = try store(number)
      let connection = try WritableStore.open(path, creating: false, busyTimeout: 0)
      try connection.run(
        """
        UPDATE stalls SET duration_ns = 9223372036854775807; UPDATE losses SET count = 9223372036854775807;
        UPDATE timers SET fired = 9223372036854775807, dropped = 9223372036854775807;
        UPDATE time_windows SET entries = 9223372036854775807;
        """)
      WritableStore.fold(connection)
      #expect(try merger.add(path) == outcome(added: 1))
    }
    let reader = try StoreReader(path: target)
    try StoreCheck.readAll(reader)
    #expect(try reader.stallTotals().reduce(0) { $0.saturatingAdd($1.total) } == .max)
  }

  private func outcome(added: Int = 0, replaced: Int = 0, known: Int = 0, running: Int = 0) -> StoreMerger.Outcome {
    var outcome = StoreMerger.Outcome()
    (outcome.added, outcome.replaced, outcome.known, outcome.running) = (added, replaced, known, running)
    return outcome
  }
}
