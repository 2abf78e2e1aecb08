import CSQLite
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Samples of stalls")
struct SampleTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  private static let opening = [Sample.loop(), Sample.mode(), Sample.began(1, at: 0)]

  private func count(_ what: String) throws -> Int64? {
    try ReadAccess(path: path).connection.firstInteger("SELECT count(*) FROM \(what)")
  }

  @Test("read back as they were written")
  func roundTrip() throws {
    let samples = [
      Sample.sample(at: 1, weight: 2, .running, [0, 1 << 63, .max, 0x7fff_ffff_ffff_ffff]),
      Sample.sample(at: 2, weight: 3, .starved, []),
      Sample.sample(at: 3, weight: 4, .blocked, on: BlockedOn(systemCall: "fsync", target: "/tmp/ü \"x\".db")),
      Sample.sample(at: 4, weight: 5, .blocked, on: BlockedOn(systemCall: "system call 999")),
      Sample.sample(at: 5, weight: 6, .blocked, on: Sample.lock),
      Sample.sample(
        at: 6, weight: 7, .blocked,
        on: BlockedOn(systemCall: "futex", owner: LockOwner(threadID: 9, name: "", frames: []))),
    ]
    let cause = StallCause(running: 2, blocked: 22, starved: 3)
    try Sample.write(
      Self.opening + [Sample.samples(1, samples, cause: cause), Sample.ended(1, duration: 60 * .millisecond)], to: path)
    let reader = try StoreReader(path: path)
    let stall = try #require(try reader.stall(id: 1))
    #expect(try reader.samples(stall: stall.id) == samples)
    #expect(stall.cause == cause)
    #expect(try reader.cause(stall: stall.id) == cause)
    #expect(try reader.worstStalls(limit: 1).map(\.cause) == [cause])
    #expect(try reader.samples(stall: 99).isEmpty)
    #expect(try reader.cause(stall: 99) == nil)
  }

  @Test("take the place of what was reported before, also when the stall is over")
  func replacing() throws {
    let late = [Sample.sample(at: 9)]
    try Sample.write(
      Self.opening + [
        Sample.samples(
          1, (1...3).map { Sample.sample(at: $0) }, cause: StallCause(running: 1, blocked: 2, starved: 3)),
        Sample.samples(1, (4...5).map { Sample.sample(at: $0) }), Sample.ended(1, duration: 60 * .millisecond),
        Sample.samples(1, late, cause: StallCause(running: 4, blocked: 5, starved: 6)), Sample.began(2, at: 7),
        Sample.samples(2, late, cause: StallCause(running: 1, blocked: 0, starved: 0)), Sample.samples(2, []),
      ], to: path)
    let reader = try StoreReader(path: path)
    #expect(try reader.samples(stall: 1) == late)
    #expect(try reader.cause(stall: 1) == StallCause(running: 4, blocked: 5, starved: 6))
    #expect(try reader.stall(id: 1)?.state == .ended)
    #expect(try reader.samples(stall: 2).isEmpty)
    #expect(try reader.cause(stall: 2) == nil)
  }

  @Test("of a stall or loop that was lost are lost with it, and counted")
  func orphans() throws {
    try Sample.write(
      [
        Sample.samples(1, [Sample.sample(at: 1)]),
        .profiledStack(ProfiledStack(loop: Sample.main, frames: [1], count: 1, weight: 1)),
      ], to: path)
    #expect(try StoreReader(path: path).health(session: 1).losses == ["records": 2])
    #expect(try count("samples") == 0)
  }

  @Test("share their stacks within a session")
  func sharedStacks() throws {
    let records =
      Self.opening + [
        Sample.samples(1, (1...9).map { Sample.sample(at: $0, .blocked, on: Sample.lock) }),
        .profiledStack(
          ProfiledStack(loop: Sample.main, frames: Sample.lock.owner!.frames, count: 1, weight: 1)),
      ]
    try Sample.write(records, to: path)
    #expect(try count("stacks") == 2)
    try Sample.write(records, to: path)
    #expect(try count("stacks") == 4)
  }

  @Test("share stacks that the writer has forgotten, too")
  func forgottenStacks() throws {
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: .init())
    writer.stacks = RecentlyUsed(capacity: 8)
    let profile = (1...100 as ClosedRange<UInt64>).map { frame in
      Record.profiledStack(ProfiledStack(loop: Sample.main, frames: [frame, 7], count: 1, weight: frame))
    }
    try writer.write([Sample.loop()] + profile + profile, trouble: nil)
    writer.fold()
    #expect(try count("stacks") == 100)
    let stacks = try StoreReader(path: path).profile(loop: 1)
    let heaviestFirst: [[UInt64]] = (1...100).reversed().map { [$0, 7] }
    #expect(stacks.map(\.frames) == heaviestFirst)
    #expect(stacks.map(\.count) == Array(repeating: 2, count: 100))
  }

  @Test("never refer to stacks of a transaction that failed")
  func failedTransaction() throws {
    var configuration = StoreRecorder.Configuration.patient
    configuration.maximumSize = 100 * 4_096
    let writer = try StoreWriter(path: path, session: Sample.session(), configuration: configuration)
    let (first, second) = (Sample.sample(at: 1, .running, [1, 2, 3]), Sample.sample(at: 2, .running, [4, 5, 6]))
    let tooMuch = Sample.began(2, at: 0, annotations: ["note": String(repeating: "x", count: 500_000)])
    #expect(throws: SQLiteFailure.self) {
      try writer.write(Self.opening + [Sample.samples(1, [first]), tooMuch], trouble: nil)
    }
    _ = writer.giveUpWaiting()
    try writer.write(Self.opening + [Sample.samples(1, [second, first])], trouble: nil)
    writer.fold()
    #expect(try StoreReader(path: path).samples(stall: 1) == [second, first])
    #expect(try count("pragma_foreign_key_check") == 0)
  }

  @Test("beyond all bounds are cut, counted and still read")
  func bounds() throws {
    let deep = (0..<2_000).map { UInt64($0) &* 0x9e37_79b9_7f4a_7c15 }
    let long = String(repeating: "ü", count: 3_000)
    let owner = LockOwner(threadID: .max, name: "x" + long, frames: deep)
    let sample = StackSample(
      atNs: .max, weight: .max, activity: .blocked, frames: deep,
      blockedOn: BlockedOn(systemCall: long, target: long, owner: owner))
    try Sample.write(
      Self.opening + [
        Sample.samples(
          1, Array(repeating: sample, count: 70), cause: StallCause(running: .max / 4, blocked: .max / 4, starved: 1)),
        .image(ImageRecord(path: long, buildID: nil, base: .max, start: .max, end: .max)),
      ], to: path)
    let reader = try StoreReader(path: path)
    let samples = try reader.samples(stall: 1)
    #expect(samples.count == 64)
    #expect(samples[0].frames == Array(deep.prefix(1_024)))
    #expect(samples[0].blockedOn?.target == String(repeating: "ü", count: 2_048))
    #expect(samples[0].blockedOn?.owner?.name == "x" + String(repeating: "ü", count: 2_047))
    try reader.forEachBriefStall { _, brief in
      let look = brief[0].look
      #expect(look.blockedOn?.target == samples[0].blockedOn?.target)
      #expect(look.blockedOn?.owner?.name == samples[0].blockedOn?.owner?.name)
      let frames = try reader.frames(stack: try #require(look.ownerStack))
      #expect(frames == samples[0].blockedOn?.owner?.frames)
    }
    #expect(samples.reduce(0) { $0 + $1.weight } <= UInt64(Int64.max))
    #expect(try reader.cause(stall: 1)?.starved == 1)
    #expect(try reader.images(session: 1).map(\.end) == [.max])
    #expect(try reader.health(session: 1).losses == ["samples": 6, "frames": 976])
  }

  @Test("that wait for the disk take bounded memory")
  func boundedQueue() throws {
    var configuration = StoreRecorder.Configuration.patient
    configuration.frameCapacity = 100
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    let other = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try other.run("BEGIN IMMEDIATE")
    for record in Self.opening { recorder.take(record) }
    let stack = Array(0..<40 as Range<UInt64>)
    let samples = Sample.samples(1, [Sample.sample(at: 1, .running, stack)])
    // One batch may be with the writer already, so a few more are taken than wait.
    #expect(eventually { !recorder.take(samples) })
    #expect(!recorder.take(.profiledStack(ProfiledStack(loop: Sample.main, frames: stack, count: 1, weight: 1))))
    #expect(recorder.take(Sample.ended(1, duration: 60 * .millisecond)))
    try other.run("ROLLBACK")
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(recorder.take(samples))
    recorder.close(endedNs: Sample.start)
    let reader = try StoreReader(path: path)
    #expect(try reader.samples(stall: 1).map(\.frames) == [stack])
    // The profile's stack is not lost: it is offered again.
    #expect(try reader.health(session: 1).losses == ["records": 1])
  }

  @Test("come stall by stall in the order of their start, and stalls without them are left out")
  func streaming() throws {
    var records = [Sample.loop(), Sample.mode()]
    for number in 1...300 as ClosedRange<UInt64> {
      records.append(Sample.began(number, at: (1_000 - number) * .millisecond))
      if number % 3 == 0 {
        let samples = (0..<number % 64).map { place in
          Sample.sample(at: number + place, place == 0 ? .starved : .running, [number, place])
        }
        records.append(
          Sample.samples(number, samples, cause: StallCause(running: number, blocked: 0, starved: 0)))
      }
      records.append(Sample.ended(number, duration: 50 * .millisecond))
    }
    try Sample.write(records, to: path)
    let reader = try StoreReader(path: path)
    var numbers: [UInt64] = []
    try reader.forEachSampledStall { stall, samples in
      let number = stall.began.id.rawValue
      numbers.append(number)
      #expect(samples.count == Int(number % 64))
      #expect(samples.enumerated().allSatisfy { $1.frames == [number, UInt64($0)] })
      #expect(stall.cause?.running == number)
      // Other questions may be asked in between.
      let again = try reader.samples(stall: stall.id)
      #expect(again == samples)
    }
    var brief: [Int64] = []
    try reader.forEachBriefStall { stall, samples in
      let whole = try #require(try reader.stall(id: stall.id))
      brief.append(stall.id)
      #expect(stall.session == whole.session && stall.state == whole.state && stall.duration == whole.duration)
      #expect(stall.cause == whole.cause)
      let again = try reader.samples(stall: stall.id)
      #expect(samples.map(\.weight) == again.map(\.weight))
      #expect(samples.map(\.look.activity) == again.map(\.activity))
      let frames = try samples.map { try reader.frames(stack: $0.look.stack) }
      #expect(frames == again.map(\.frames))
    }
    #expect(brief.count == numbers.count)
    let sampled: [UInt64] = (1...300).reversed().filter { $0 % 3 == 0 && $0 % 64 != 0 }
    #expect(numbers == sampled)
    struct Enough: Error {}
    #expect(throws: Enough.self) { try reader.forEachSampledStall { _, _ in throw Enough() } }
    #expect(throws: Enough.self) { try reader.forEachBriefStall { _, _ in throw Enough() } }
  }

  @Test("come with a profile that adds up, and the images in the order of being seen")
  func profileAndImages() throws {
    let other = LoopID(rawValue: 2)
    func seen(_ loop: LoopID, _ frames: [UInt64], _ count: UInt64, _ weight: Nanoseconds) -> Record {
      .profiledStack(ProfiledStack(loop: loop, frames: frames, count: count, weight: weight))
    }
    var high = Sample.image
    (high.path, high.buildID, high.base, high.start, high.end) = ("[vdso]", nil, 1 << 63, .max - 9, .max)
    try Sample.write(
      [
        .image(high), .image(Sample.image), .image(high), Sample.loop(), Sample.loop(other, name: "other"),
        seen(Sample.main, [1, 2], 1, 10), seen(Sample.main, [], 2, 20), seen(other, [1, 2], 3, 30),
        seen(Sample.main, [1, 2], 4, 40), seen(other, [7], 1, .max), seen(other, [7], .max, .max),
      ], to: path)
    let reader = try StoreReader(path: path)
    #expect(try reader.images(session: 1) == [high, Sample.image, high])
    #expect(try reader.images(session: 2).isEmpty)
    #expect(
      try reader.profile(loop: 1) == [
        ProfiledStack(loop: Sample.main, frames: [1, 2], count: 5, weight: 50),
        ProfiledStack(loop: Sample.main, frames: [], count: 2, weight: 20),
      ])
    // Figures without sense do not keep the rest from being written.
    #expect(try count("profile_stacks WHERE loop = 2 AND weight_ns = 9223372036854775807") == 1)
    #expect(try reader.profile(loop: 9).isEmpty)
  }

  @Test("go when their session is deleted")
  func deletion() throws {
    try Sample.write(
      Self.opening + [
        .image(Sample.image), Sample.samples(1, [Sample.sample(at: 1, .blocked, on: Sample.lock)]),
        .profiledStack(ProfiledStack(loop: Sample.main, frames: [1], count: 1, weight: 1)),
      ], to: path)
    do {
      let connection = try WritableStore.open(path, creating: false, busyTimeout: 1 * .second)
      try connection.run("DELETE FROM sessions")
    }
    for table in Schema.tables { #expect(try count(table) == 0) }
  }
}
