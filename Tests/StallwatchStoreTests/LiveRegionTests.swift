import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchLibc
import Testing

@testable import StallwatchStore

@Suite("The live region")
struct LiveRegionTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.db") }
  private var region: String { folder.file("store.db-live-1") }

  private static let records: [Record] = [
    Sample.loop(), Sample.mode(),
    .timer(
      TimerRecord(
        id: TimerID(rawValue: 1), loop: Sample.main, name: "poll", kind: .runLoop, origin: 0, interval: .second,
        tolerance: 0, modes: [], madeNs: Sample.start)),
  ]

  private static let figures: [Record] = [
    Sample.profile(at: 1 * .second, [Sample.growth(.span, [2_000, 30 * .millisecond])]),
    .loopProgress(LoopProgress(loop: Sample.main, outside: 70, activities: 12)),
    Sample.health(at: 2 * .second, lateness: Sample.growth(.span, [400])),
    .timerDelta(
      {
        var delta = TimerDelta(timer: TimerID(rawValue: 1), atNs: Sample.start + 2 * .second)
        (delta.fired, delta.dropped, delta.droppedByMode) = (5, 2, [(0, 2)])
        delta.lateness = Sample.growth(.span, [900, 1_000])
        return delta
      }()),
    .driftTick(
      DriftTick(
        loop: Sample.main, number: 3, dueNs: Sample.start + 2 * .second, runLoopLateness: nil, gcdLateness: 8,
        inOtherModes: 1)),
    .driftTick(
      DriftTick(
        loop: Sample.main, number: 4, dueNs: Sample.start + 3 * .second, runLoopLateness: 30 * .millisecond,
        gcdLateness: 5, inOtherModes: 1)),
  ]

  /// A writer whose rows are in the store and whose figures are in the live region alone.
  private func writer(process: ProcessIdentity = .current()) throws -> StoreWriter {
    let writer = try StoreWriter(path: path, session: Sample.session(process: process), configuration: .init())
    writer.take(Self.records)
    try writer.commit(closing: nil, trouble: nil)
    writer.take(Self.figures)
    try writer.show(trouble: nil)
    return writer
  }

  private func expectFigures(_ reader: StoreReader, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let mode = try #require(try reader.modes(loop: 1).first)
    #expect([mode.entries, mode.iterations, mode.starved] == [1, 2, 3], sourceLocation: sourceLocation)
    #expect(mode.metrics[.span]?.total == 30_002_000, sourceLocation: sourceLocation)
    let loop = try #require(try reader.loops(session: 1).first)
    #expect([loop.outside, loop.activities] == [70, 12], sourceLocation: sourceLocation)
    #expect(try reader.health(session: 1).watchdogLateness?.total == 400, sourceLocation: sourceLocation)
    let timer = try #require(try reader.timers(session: 1).first)
    #expect(timer.ledger.fired == 5, sourceLocation: sourceLocation)
    #expect(timer.lateness?.count == 2, sourceLocation: sourceLocation)
    var (ticks, late) = ([TickWindow](), [UInt64]())
    try reader.forEachTickWindow(session: 1) { ticks.append($1) }
    try reader.forEachTick(session: 1) { late.append($0.tick.number) }
    #expect(ticks.map(\.ticks) == [2], sourceLocation: sourceLocation)
    #expect(ticks.map(\.gcd.total) == [13], sourceLocation: sourceLocation)
    #expect(late == [4], sourceLocation: sourceLocation)
    var windows: [TimerWindow] = []
    try reader.forEachTimerWindow(session: 1) { windows.append($1) }
    #expect(windows.map(\.dropped) == [2], sourceLocation: sourceLocation)
    #expect(windows.map(\.lateness.total) == [1_900], sourceLocation: sourceLocation)
    #expect(try reader.sessions().first?.lastSeenNs == Sample.start + 3 * .second, sourceLocation: sourceLocation)
    var iterations: UInt64 = 0
    try reader.forEachWindow(session: 1) { iterations += $0.iterations }
    #expect(iterations == 2, sourceLocation: sourceLocation)
  }

  @Test("shows a reader what the store does not have yet")
  func whileLive() throws {
    let writer = try writer()
    try expectFigures(StoreReader(path: path))
    #expect(try ReadAccess(path: path).connection.firstInteger("SELECT count(*) FROM time_windows") == 0)
    try writer.commit(closing: .full, trouble: nil)
    // The region still holds what the store has by now: nobody counts it twice.
    try expectFigures(StoreReader(path: path))
  }

  @Test("shows every growth, whether of a mode that turns or of one that only goes on")
  func growthByTurns() throws {
    let writer = try writer()
    var random = RandomNumbers(seed: 41)
    var (count, busy) = (2 as UInt64, try busyTime())
    // Three windows of metrics, and as many closings.
    for step in 1...90 as ClosedRange<Nanoseconds> {
      let now = Sample.start + 3 * .second + step * 2 * .second
      let turns = UInt64(random.next() % 3)
      let stretch = ModeStretch(startNs: now - .second, endNs: now, busy: step * 1_000, longest: step * 1_000)
      writer.take([
        .profile(
          ProfileDelta(
            loop: Sample.main, mode: 0, atNs: now, entries: 0, iterations: 0, starved: 0,
            metrics: turns == 0 ? [] : [Sample.growth(.span, [Nanoseconds](repeating: step * 900, count: Int(turns)))],
            stretches: [stretch]))
      ])
      (count, busy) = (count + turns, busy + step * 1_000)
      if writer.isClosingDue { try writer.commit(closing: .fullWindows, trouble: nil) }
      try writer.show(trouble: nil)
      #expect(try StoreReader(path: path).modes(loop: 1).first?.metrics[.span]?.count == count)
      #expect(try busyTime() == busy)
    }
    #expect(writer.state.closings > 2)
  }

  /// The busy time of all windows.
  private func busyTime() throws -> Nanoseconds {
    var busy: Nanoseconds = 0
    try StoreReader(path: path).forEachWindow(session: 1) { busy += $0.busy }
    return busy
  }

  @Test("of a process that died is read, and brought in by the next writer, once")
  func afterDeath() throws {
    let dead = try writer(process: Sample.deadProcess)
    #expect(try StoreReader(path: path).sessions().map(\.ended) == [.killed])
    try expectFigures(StoreReader(path: path))
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(!FileManager.default.fileExists(atPath: region))
    try expectFigures(StoreReader(path: path))
    #expect(try ReadAccess(path: path).connection.firstInteger("SELECT count(*) FROM time_windows") == 1)
    try StoreFinaliser.finalise(path: path)
    try expectFigures(StoreReader(path: path))
  }

  @Test("of a process that died comes along into a merged store")
  func merged() throws {
    let dead = try writer(process: Sample.deadProcess)
    let target = folder.file("merged.db")
    defer { withExtendedLifetime(dead) {} }
    #expect(try StoreMerger(into: target).add(path).added == 1)
    #expect(try StoreMerger(into: target).add(path).known == 1)
    try expectFigures(StoreReader(path: target))
  }

  @Test("is gone after an end in order")
  func end() throws {
    let writer = try writer()
    try writer.commit(closing: .full, trouble: nil)
    #expect(FileManager.default.fileExists(atPath: region))
    try writer.finish(endedNs: Sample.start + 3 * .second, trouble: nil)
    writer.fold()
    #expect(Array(folder.contents.keys) == ["store.db"])
    try expectFigures(StoreReader(path: path))
  }

  @Test("is its owner's alone, has all its room from the start, and stays as large")
  func room() throws {
    let writer = try writer()
    let attributes = try FileManager.default.attributesOfItem(atPath: region)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == LiveHeader.fileLength)
    var status = stat()
    #expect(stat(region, &status) == 0)
    #expect(Int(status.st_blocks) * 512 >= LiveHeader.fileLength)
    for _ in 0..<3 { try writer.show(trouble: nil) }
    #expect(try FileManager.default.attributesOfItem(atPath: region)[.size] as? Int == LiveHeader.fileLength)
  }

  @Test("takes the place of a link without following it")
  func link() throws {
    let other = folder.file("other")
    try Data("another's".utf8).write(to: URL(fileURLWithPath: other))
    symlink(other, region)
    let writer = try writer()
    try withExtendedLifetime(writer) { try expectFigures(StoreReader(path: path)) }
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "another's")
  }

  @Test("that cannot be made says so, and costs nothing else")
  func noRoom() throws {
    mkdir(region, 0o700)
    let writer = try writer()
    #expect(writer.live.trouble?.contains("cannot be written") == true)
    try writer.commit(closing: .full, trouble: writer.live.trouble)
    try expectFigures(StoreReader(path: path))
    #expect(try StoreReader(path: path).health(session: 1).trouble == writer.live.trouble)
  }

  @Test("that could not be made is no trouble after an end in order, when nothing is missing")
  func noRoomAtTheEnd() throws {
    mkdir(region, 0o700)
    let recorder = try StoreRecorder(path: path, session: Sample.session())
    for record in Self.records + Self.figures { recorder.take(record) }
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(recorder.trouble?.contains("live region") == true)
    recorder.close(endedNs: Sample.start + 3 * .second)
    #expect(recorder.trouble == nil)
    #expect(try StoreReader(path: path).health(session: 1).trouble == nil)
    try expectFigures(StoreReader(path: path))
  }

  @Test("that somebody removes or cuts short is made again", arguments: [true, false])
  func harmed(isRemoved: Bool) throws {
    let writer = try writer()
    #expect(isRemoved ? unlink(region) == 0 : truncate(region, 100) == 0)
    _ = try StoreReader(path: path).modes(loop: 1)
    try writer.show(trouble: nil)
    try expectFigures(StoreReader(path: path))
  }

  @Test("with another one's or senseless contents is no region, and harms no reader")
  func noise() throws {
    let dead = try writer(process: Sample.deadProcess)
    let good = try #require(FileManager.default.contents(atPath: region))
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      var bytes = Array(good)
      switch round % 5 {
      case 0: bytes = (0..<bytes.count).map { _ in UInt8.random(in: 0...255, using: &random) }
      case 1: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count)))
      case 2: bytes[16] &+= 1  // another session
      case 3: bytes[24] &+= 1  // another start
      default:
        // Broken figures with the right checksum.
        let offset = LiveHeader.offset(ofBlock: 0)
        guard let block = LiveBlock.read(bytes[offset..<offset + LiveBlock.length]) else { break }
        var figures = block.bytes
        for _ in 0..<3 { figures[Int.random(in: 0..<figures.count)] = UInt8.random(in: 0...255) }
        let head = LiveBlock.head(of: figures[...], sequence: 9, closings: block.closings) + figures
        bytes.replaceSubrange(offset..<offset + head.count, with: head)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: region))
      let reader = try StoreReader(path: path)
      for loop in try reader.loops(session: 1) { _ = try reader.modes(loop: loop.id) }
      _ = try reader.timers(session: 1)
      _ = try reader.health(session: 1)
      try reader.forEachWindow(session: 1) { _ = $0.pieces }
    }
    // Nor a writer that takes it over.
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(try StoreReader(path: path).sessions().map(\.ended) == [.killed])
  }

  @Test("never names rows of another session")
  func foreignRows() throws {
    try Sample.write(Self.records + Self.figures, to: path)
    let dead = try StoreWriter(
      path: path, session: Sample.session(process: Sample.deadProcess), configuration: .init())
    // As if the first session's rows were the second one's.
    dead.state.loops[Sample.main] = WriterState.Loop(
      row: 1, outside: .max, activities: .max, hasGrown: true, modes: [0])
    dead.state.modes[WriterState.ModeKey(loop: Sample.main, index: 0)] = WriterState.Mode(row: 1)
    dead.state.timers[TimerID(rawValue: 1)] = WriterState.Timer(row: 1)
    dead.take(Self.figures)
    try dead.show(trouble: nil)
    #expect(LiveRegionFile(path: folder.file("store.db-live-2"))?.figures.loops.count == 1)
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(try StoreReader(path: path).loops(session: 1).map(\.outside) == [70])
  }

  @Test("that is damaged is a trouble of its session, for readers and after a takeover", arguments: [true, false])
  func damage(isWhole: Bool) throws {
    let dead = try writer(process: Sample.deadProcess)
    var bytes = try #require(FileManager.default.contents(atPath: region))
    if isWhole { bytes = Data(repeating: 7, count: 9_000) } else { bytes[LiveHeader.offset(ofBlock: 0) + 9] ^= 1 }
    try bytes.write(to: URL(fileURLWithPath: region))
    #expect(try StoreReader(path: path).health(session: 1).trouble == LiveRegionFile.damage)
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(!FileManager.default.fileExists(atPath: region))
    #expect(try StoreReader(path: path).health(session: 1).trouble == LiveRegionFile.damage)
  }

  @Test("of another version is a trouble, and not read")
  func otherVersion() throws {
    let dead = try writer(process: Sample.deadProcess)
    var bytes = try #require(FileManager.default.contents(atPath: region))
    #expect(bytes[8] == 4)
    bytes[8] = 2
    try bytes.write(to: URL(fileURLWithPath: region))
    #expect(LiveRegionFile(path: region) == nil)
    try withExtendedLifetime(dead) { try StoreFinaliser.finalise(path: path) }
    #expect(try StoreReader(path: path).health(session: 1).trouble == LiveRegionFile.damage)
  }

  @Test("loses a block that is broken, and says so")
  func brokenBlock() throws {
    let writer = try writer()
    for number in 1...400 {
      writer.take([
        .timer(
          TimerRecord(
            id: TimerID(rawValue: UInt64(number)), loop: Sample.main, name: "t", kind: .runLoop, origin: 0,
            interval: .second, tolerance: 0, modes: [], madeNs: Sample.start))
      ])
    }
    try writer.commit(closing: nil, trouble: nil)
    for number in 1...400 {
      var delta = TimerDelta(timer: TimerID(rawValue: UInt64(number)), atNs: Sample.start + 2 * .second)
      delta.fired = 7
      writer.take([.timerDelta(delta)])
    }
    try writer.show(trouble: nil)
    let whole = try #require(LiveRegionFile(path: region))
    #expect(!whole.figures.isDamaged)
    #expect(whole.figures.timers.count == 400)
    var bytes = try #require(FileManager.default.contents(atPath: region))
    bytes[LiveHeader.offset(ofBlock: 1) + LiveBlock.headLength + 5] ^= 1
    try bytes.write(to: URL(fileURLWithPath: region))
    let broken = try #require(LiveRegionFile(path: region))
    #expect(broken.figures.isDamaged)
    #expect((1..<400).contains(broken.figures.timers.count))
  }

  @Test("and the store have everything once at any moment, whatever closes when")
  func onceAtAnyMoment() throws {
    let writer = try writer()
    try writer.commit(closing: .full, trouble: nil)
    var (iterations, outside): (UInt64, Nanoseconds) = (2, 70)
    for step in 1..<400 {
      let at = UInt64(step) * 700 * Nanoseconds.millisecond
      var delta = ProfileDelta(
        loop: Sample.main, mode: 0, atNs: Sample.start + at, entries: 0, iterations: 3, starved: 0,
        metrics: [Sample.growth(.span, [Nanoseconds(step) * 1_000])],
        stretches: [
          ModeStretch(
            startNs: Sample.start + at - 600 * .millisecond, endNs: Sample.start + at, busy: 5, waiting: 7, outside: 0,
            iterations: 3, longest: 5)
        ])
      delta.entries = 1
      writer.take([
        .profile(delta), .loopProgress(LoopProgress(loop: Sample.main, outside: 1, activities: 1)),
      ])
      (iterations, outside) = (iterations + 3, outside + 1)
      if writer.isClosingDue { try writer.commit(closing: .fullWindows, trouble: nil) }
      try writer.show(trouble: nil)
      guard step.isMultiple(of: 7) else { continue }
      let reader = try StoreReader(path: path)
      let mode = try #require(try reader.modes(loop: 1).first)
      #expect(mode.iterations == iterations)
      #expect(mode.metrics[.span]?.count == UInt64(step) + 2)
      #expect(try reader.loops(session: 1).first?.outside == outside)
      var inWindows: UInt64 = 0
      try reader.forEachWindow(session: 1) { inWindows += $0.iterations }
      #expect(inWindows == iterations)
    }
    let rows = try ReadAccess(path: path).connection.firstInteger("SELECT closings FROM sessions") ?? 0
    #expect(rows >= 5)
  }
}
