import CSQLite
import Foundation
import SeededNumbers
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The death of a process")
struct DeathTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  /// Records a session of a process that is no more, with a stall open, and leaves it as a death would.
  private func leave(_ process: ProcessIdentity, session: [Record] = []) throws -> StoreRecorder {
    let recorder = try StoreRecorder(path: path, session: Sample.session(process: process), configuration: .patient)
    for record in [Sample.loop(), Sample.mode(), Sample.began(1, at: 0), Sample.health(at: 700 * .millisecond)]
      + session
    {
      recorder.take(record)
    }
    #expect(recorder.flush(timeout: 30 * .second))
    return recorder
  }

  private func storedStates() throws -> [String?] {
    let connection = try ReadAccess(path: path).connection
    return [
      try connection.firstText("SELECT ended FROM sessions"), try connection.firstText("SELECT state FROM stalls"),
      try connection.firstText("SELECT severity FROM stalls"),
    ]
  }

  @Test("shows in a reader, which writes nothing")
  func reader() throws {
    let recorder = try leave(Sample.deadProcess)
    defer { recorder.close(endedNs: 0) }
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.ended) == [.killed])
    let stall = try #require(try reader.worstStalls(limit: 1).first)
    #expect(stall.state == .fatal)
    #expect(stall.duration == 700 * .millisecond)
    #expect(try reader.stallTotals().map(\.state) == [.fatal])
    #expect(try reader.stallTotals().map(\.severity) == [.hang])
    #expect(try storedStates() == ["running", "began", nil])
  }

  @Test("leaves the samples that its open stall had by then")
  func samples() throws {
    let samples = [
      Sample.sample(at: 50 * .millisecond), Sample.sample(at: 60 * .millisecond, .blocked, on: Sample.lock),
    ]
    let cause = StallCause(running: 1, blocked: 2, starved: 3)
    let recorder = try leave(
      Sample.deadProcess,
      session: [Sample.samples(1, [samples[0]]), Sample.samples(1, samples, cause: cause)])
    func expectSamples() throws {
      let stall = try #require(try StoreReader(path: path).worstStalls(limit: 1).first)
      #expect(stall.state == .fatal)
      #expect(stall.cause == cause)
      #expect(try StoreReader(path: path).samples(stall: stall.id) == samples)
    }
    try expectSamples()
    recorder.abandonAfterFork()
    try StoreFinaliser.finalise(path: path)
    try expectSamples()
  }

  @Test("is not assumed of a process that lives")
  func living() throws {
    let recorder = try leave(.current())
    defer { recorder.close(endedNs: 0) }
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.ended) == [.running])
    #expect(try reader.worstStalls(limit: 1).map(\.state) == [.began])
    try StoreFinaliser.finalise(path: path)
    #expect(try storedStates() == ["running", "began", nil])
  }

  @Test("is written by the next writer")
  func nextWriter() throws {
    let recorder = try leave(Sample.deadProcess)
    recorder.abandonAfterFork()
    let next = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { next.close(endedNs: 0) }
    #expect(try storedStates() == ["killed", "fatal", "hang"])
    let stall = try #require(try StoreReader(path: path).worstStalls(limit: 1).first)
    #expect(stall.duration == 700 * .millisecond)
    #expect(stall.began.phase == .service)
  }

  @Test("is written by the finaliser, with the exit status of the process")
  func finaliser() throws {
    let recorder = try leave(Sample.deadProcess)
    recorder.abandonAfterFork()
    try StoreFinaliser.finalise(path: path, exit: .init(pid: Sample.deadProcess.pid, status: 137))
    let session = try #require(try StoreReader(path: path).sessions().first)
    #expect(session.ended == .killed)
    #expect(session.exitStatus == 137)
  }

  @Test("is as good as exec, by which a process becomes another program, for the session that the former one left")
  func exec() throws {
    let recorder = try leave(.current())
    recorder.abandonAfterFork()
    // This program's first session began later: what the test left is then a former program's.
    let connection = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try connection.run("UPDATE sessions SET started_ns = 0")
    let next = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { next.close(endedNs: 0) }
    #expect(try storedStates() == ["killed", "fatal", "hang"])
    #expect(try StoreReader(path: path).sessions().map(\.ended) == [.killed, .running])
  }

  @Test("is noted at no session of an earlier process with the same number")
  func reusedNumber() throws {
    let recorder = try leave(Sample.deadProcess)
    recorder.abandonAfterFork()
    try StoreFinaliser.finalise(path: path, exit: .init(pid: Sample.deadProcess.pid, status: 137, earlierSessions: 1))
    #expect(try StoreReader(path: path).sessions().map(\.exitStatus) == [nil])
  }

  @Test("on another machine or before the last boot is certain")
  func elsewhere() {
    var other = ProcessIdentity.current()
    #expect(other.isAlive)
    other.host += "x"
    #expect(!other.isAlive)
    other = .current()
    other.bootID = "00000000-0000-0000-0000-000000000000"
    #expect(!other.isAlive)
    other = .current()
    other.pid = -1
    #expect(!other.isAlive)
    #expect(!Sample.deadProcess.isAlive)
  }

  @Test("is known of a process that has ended and was not yet reaped")
  func zombie() throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var pid: pid_t = 0
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    #expect(posix_spawnp(&pid, "true", nil, &attributes, arguments, environ) == 0)
    var identity = ProcessIdentity.current()
    identity.pid = pid
    #expect(eventually { !identity.isAlive })
    var status: Int32 = 0
    #expect(waitpid(pid, &status, 0) == pid)
  }

  @Test("mistaken for one, a process that writes on corrects it")
  func mistaken() throws {
    let recorder = try leave(Sample.deadProcess)
    try StoreFinaliser.finalise(path: path)
    #expect(try storedStates() == ["killed", "fatal", "hang"])
    recorder.take(Sample.ended(1, duration: 2 * .second))
    recorder.close(endedNs: Sample.start + 3 * .second)
    #expect(try storedStates() == ["clean", "ended", "severe"])
  }

  @Test("at any moment leaves a whole store, its session killed and its stall fatal")
  func killed() throws {
    var generator = RandomNumbers(seed: 3)
    for round in 1...10 {
      let process = try StoreWriterProgram.start(store: path, stalls: 0)
      usleep(.random(in: 0...60_000, using: &generator))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()

      try expectKilledAndUntouched()
      try StoreFinaliser.finalise(path: path, exit: .init(pid: process.processIdentifier, status: 137))
      #expect(Array(folder.contents.keys) == ["store.db"])
      let connection = try ReadAccess(path: path).connection
      #expect(try connection.firstText("PRAGMA integrity_check") == "ok")
      #expect(try connection.firstInteger("SELECT count(*) FROM pragma_foreign_key_check") == 0)
      #expect(try connection.firstInteger("SELECT count(*) FROM sessions WHERE ended = 'killed'") == Int64(round))
      #expect(try connection.firstInteger("SELECT count(*) FROM stalls WHERE state = 'began'") == 0)
      #expect(try connection.firstInteger("SELECT count(*) FROM sessions WHERE exit_status = 137") == Int64(round))
    }
  }

  /// In a function of its own: a reader that lives keeps the log from being folded in.
  private func expectKilledAndUntouched() throws {
    let before = folder.contents
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().last?.ended == .killed)
    try reader.forEachStall { stall in
      #expect(stall.state == .ended || stall.state == .fatal)
      #expect(stall.duration >= 50 * .millisecond)
    }
    try reader.forEachSampledStall { stall, samples in
      #expect(samples.count == 8)
      #expect(stall.cause?.watched == 8)
    }
    #expect(before["store.db"] == folder.contents["store.db"])
    #expect(before["store.db-wal"] == folder.contents["store.db-wal"])
  }
}
