import CSQLite
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("A disk in trouble", .serialized)
struct DiskTroubleTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  @Test("costs records, which are counted, and is reported in the end")
  func full() throws {
    try Sample.write([], to: path)
    var configuration = StoreRecorder.Configuration()
    configuration.queueCapacity = 64
    configuration.closeTimeout = 6 * .second
    configuration.longestRetryPause = 50 * .millisecond
    configuration.maximumSize = 40 * 4_096
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    recorder.take(Sample.loop())
    recorder.take(Sample.mode())
    var refused = 0
    let annotation = ["note": String(repeating: "x", count: 4_000)]
    #expect(
      eventually {
        for number in 1...50 as ClosedRange<UInt64> {
          if !recorder.take(Sample.began(UInt64(refused) * 100 + number, at: number, annotations: annotation)) {
            refused += 1
          }
        }
        return recorder.trouble != nil && refused > 0
      })
    #expect(recorder.trouble?.contains("full") == true)
    recorder.close(endedNs: Sample.start + 1 * .second)
    #expect(recorder.trouble?.contains("lost") == true)
    let reader = try StoreReader(path: path)
    let connection = try ReadAccess(path: path).connection
    #expect(try connection.firstText("PRAGMA integrity_check") == "ok")
    // The last words change a row that is there, and need no new page.
    #expect(try reader.sessions().last?.ended == .clean)
    #expect(try reader.health(session: 2).trouble == recorder.trouble)
  }

  @Test("that was full and has room again is written to again")
  func roomAgain() throws {
    var configuration = StoreRecorder.Configuration()
    configuration.busyTimeout = 1 * .millisecond
    configuration.longestRetryPause = 20 * .millisecond
    configuration.queueCapacity = 32
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    // Another process that holds the write lock, for as long as it takes to lose records.
    let other = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try other.run("BEGIN IMMEDIATE")
    recorder.take(Sample.loop())
    recorder.take(Sample.mode())
    var taken = 0
    var offered = 0
    #expect(
      eventually {
        for _ in 0..<10 {
          offered += 1
          if recorder.take(Self.interval) { taken += 1 }
        }
        return recorder.trouble != nil && taken + 100 < offered
      })
    try other.run("ROLLBACK")
    #expect(recorder.flush(timeout: 30 * .second))
    recorder.close(endedNs: Sample.start + 1)
    let health = try StoreReader(path: path).health(session: 1)
    #expect(health.intervals.count == taken)
    #expect(health.losses["records"] == UInt64(offered - taken))
    #expect(health.trouble?.contains("locked") == true)
  }

  @Test("whose store was removed says so, until the store is back", arguments: [false, true])
  func gone(isReplaced: Bool) throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session())
    recorder.take(Sample.loop())
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(recorder.trouble == nil)
    let files = FileManager.default
    try files.moveItem(atPath: path, toPath: folder.file("elsewhere"))
    if isReplaced { try Data("another's".utf8).write(to: URL(fileURLWithPath: path)) }
    recorder.take(Self.interval)
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(recorder.trouble == StoreRecorder.storeIsGone)
    try? files.removeItem(atPath: path)
    try files.moveItem(atPath: folder.file("elsewhere"), toPath: path)
    recorder.take(Self.interval)
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(recorder.trouble == nil)
    try files.removeItem(atPath: path)
    recorder.close(endedNs: Sample.start + 1)
    #expect(recorder.trouble == StoreRecorder.storeIsGone, "also where nothing but the end was written")
  }

  private static let interval = Record.interval(
    IntervalRecord(kind: .blind, loop: nil, startedNs: 1, endedNs: 2, duration: 1, reason: "new-mode"))

  @Test("does not take for lost what is offered again")
  func offeredAgain() throws {
    var configuration = StoreRecorder.Configuration()
    configuration.queueCapacity = 16
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    let other = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try other.run("BEGIN IMMEDIATE")
    recorder.take(Sample.loop())
    recorder.take(Sample.mode())
    let growth = Sample.profile(at: 0, [Sample.growth(.span, [1_000])])
    #expect(eventually { !recorder.take(growth) })
    try other.run("ROLLBACK")
    #expect(eventually { recorder.take(growth) })
    recorder.close(endedNs: Sample.start)
    #expect(try StoreReader(path: path).health(session: 1).losses.isEmpty)
  }

  @Test("never holds up whoever hands over records")
  func neverWaits() throws {
    var configuration = StoreRecorder.Configuration()
    configuration.queueCapacity = 16
    configuration.busyTimeout = 60 * .second
    configuration.closeTimeout = 50 * .millisecond
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
    let other = try Connection(name: path, flags: SQLITE_OPEN_READWRITE)
    try other.run("BEGIN IMMEDIATE")
    // The lock is let go only after this; were a record to wait for the disk, the test would never end.
    var refused = 0
    for number in 0..<1_000 as Range<UInt64> where !recorder.take(Sample.health(at: number)) { refused += 1 }
    #expect(refused > 0)
    recorder.close(endedNs: Sample.start)
    #expect(recorder.trouble?.contains("closing the store took too long") == true)
    try other.run("ROLLBACK")
    #expect(eventually { folder.contents.keys.sorted() == ["store.db"] || !isLocked })
  }

  private var isLocked: Bool {
    guard let other = try? Connection(name: path, flags: SQLITE_OPEN_READWRITE) else { return true }
    return (try? other.run("BEGIN IMMEDIATE; ROLLBACK")) == nil
  }

  @Test("beyond a file-size limit does not kill the program")
  func fileSizeLimit() throws {
    let program = try StoreWriterProgram.path
    let result = try #require(Tool.run("sh", ["-c", "ulimit -f 700; exec \"$0\" \"$1\" 400", program, path]))
    #expect(result.status == 0)
    #expect(result.output == "ready\n")
    try StoreFinaliser.finalise(path: path)
    let connection = try ReadAccess(path: path).connection
    #expect(try connection.firstText("PRAGMA integrity_check") == "ok")
  }
}
