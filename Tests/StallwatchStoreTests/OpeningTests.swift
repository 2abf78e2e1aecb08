import Foundation
import StallwatchCore
import Synchronization
import Testing

@testable import StallwatchStore

/// A store for which nobody waits while it is opened.
@Suite struct OpeningTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("store.db") }

  /// What was said of the opening, for another thread to read.
  private final class Reported: Sendable {
    private let words = Mutex<[StoreError?]>([])
    var all: [StoreError?] { words.withLock { $0 } }
    func note(_ error: StoreError?) { words.withLock { $0.append(error) } }
  }

  @Test func `records that come before the store is open are written when it is`() throws {
    try Sample.write([Sample.loop()], to: path)
    let other = try WritableStore.open(path, creating: false, busyTimeout: 0)
    try other.run("BEGIN EXCLUSIVE")
    let reported = Reported()
    let recorder = try StoreRecorder(
      path: path, session: Sample.session(), configuration: .patient, opened: reported.note)
    #expect(recorder.take(Sample.loop()))
    #expect(reported.all == [])
    try other.run("ROLLBACK")
    #expect(eventually { reported.all == [nil] })
    recorder.close(endedNs: Sample.start)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().count == 2)
    #expect(try reader.loops(session: 2).count == 1)
  }

  @Test func `a store that cannot be opened is reported, and nobody waits for it`() throws {
    let reported = Reported()
    let recorder = try StoreRecorder(
      path: folder.path, session: Sample.session(), configuration: .patient, opened: reported.note)
    recorder.take(Sample.loop())
    #expect(eventually { reported.all.count == 1 })
    #expect(reported.all == [.notAFile(path: folder.path, what: "a directory")])
    #expect(!recorder.take(Sample.loop()))
    #expect(recorder.trouble == reported.all[0]?.message)
    let before = monotonicNow()
    recorder.settle(endedNs: Sample.start)
    recorder.close(endedNs: Sample.start)
    // Each would wait for the close timeout otherwise, which is 1,000 s here.
    #expect(monotonicNow() - before < 500 * .second)
  }

  /// Until `body` is over, another program has the store locked.
  private func whileLocked(_ body: () throws -> Void) throws {
    try Sample.write([Sample.loop()], to: path)
    let other = try WritableStore.open(path, creating: false, busyTimeout: 0)
    try other.run("BEGIN EXCLUSIVE")
    try body()
    try other.run("ROLLBACK")
  }

  /// One that waits 50 ms for the opening, and as long for each lock.
  private var hasty: StoreRecorder.Configuration {
    var configuration = StoreRecorder.Configuration.patient
    (configuration.openTimeout, configuration.busyTimeout) = (50 * .millisecond, 50 * .millisecond)
    return configuration
  }

  @Test func `a locked store is opened when it is free, however late, if nobody waits for it`() throws {
    let reported = Reported()
    var recorder: StoreRecorder?
    try whileLocked {
      recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: hasty, opened: reported.note)
      recorder?.take(Sample.loop())
      #expect(eventually { recorder?.trouble == StoreError.busy(path: path).message })
      // Several times as long as a caller would wait.
      usleep(300_000)
      #expect(reported.all == [])
    }
    #expect(eventually { reported.all == [nil] })
    #expect(recorder?.trouble == nil)
    recorder?.close(endedNs: Sample.start)
    #expect(try StoreReader(path: path).loops(session: 2).count == 1)
  }

  @Test func `a store that stays locked until the session ends is reported`() throws {
    var configuration = hasty
    configuration.closeTimeout = 200 * .millisecond
    let reported = Reported()
    try whileLocked {
      let recorder = try StoreRecorder(
        path: path, session: Sample.session(), configuration: configuration, opened: reported.note)
      recorder.close(endedNs: Sample.start)
      #expect(eventually { reported.all == [.busy(path: path)] })
    }
    #expect(try StoreReader(path: path).sessions().count == 1)
  }

  @Test func `who waits for a locked store learns of it in time`() throws {
    var configuration = hasty
    // Enough for a first try on a busy machine.
    configuration.openTimeout = 2 * .second
    try whileLocked {
      #expect(throws: StoreError.busy(path: path)) {
        _ = try StoreRecorder(path: path, session: Sample.session(), configuration: configuration)
      }
    }
  }
}
