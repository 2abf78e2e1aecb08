import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Reading")
struct ReadingTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  private static let records = [
    Sample.loop(), Sample.mode(), Sample.began(1, at: 0), Sample.ended(1, duration: 60 * .millisecond),
    Sample.profile(at: 0, [Sample.growth(.span, [60 * .millisecond])]), Sample.health(at: 1),
  ]

  /// Asks everything that a reader answers.
  @discardableResult
  private func readAll(_ path: String) throws -> Int {
    let reader = try StoreReader(path: path)
    var stalls = 0
    for session in try reader.sessions() {
      for loop in try reader.loops(session: session.id) { _ = try reader.modes(loop: loop.id) }
      _ = try reader.health(session: session.id)
    }
    _ = try reader.stallTotals()
    _ = try reader.worstStalls(limit: 5)
    try reader.forEachStall { _ in stalls += 1 }
    return stalls
  }

  @Test("leaves a closed store, its folder and its time of change as they were")
  func closedStore() throws {
    try Sample.write(Self.records, to: path)
    let (before, status) = (folder.contents, FileStatus(path: path, followingLinks: true))
    #expect(try readAll(path) == 1)
    #expect(folder.contents == before)
    #expect(FileStatus(path: path, followingLinks: true) == status)
  }

  @Test("sees a recording that goes on, changes neither the store nor its log, and leaves nothing")
  func liveStore() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    for record in Self.records { recorder.take(record) }
    #expect(recorder.flush(timeout: 30 * .second))
    let before = folder.contents
    #expect(try readAll(path) == 1)
    #expect(before.keys == folder.contents.keys)
    #expect(before["store.db"] == folder.contents["store.db"])
    #expect(before["store.db-wal"] == folder.contents["store.db-wal"])
    recorder.close(endedNs: Sample.start + 1)
    #expect(Array(folder.contents.keys) == ["store.db"])
  }

  @Test("reports how many rows it has read")
  func progress() throws {
    try Sample.write([Sample.loop(), Sample.mode()] + (1...2_900).map { Sample.began($0, at: $0) }, to: path)
    var reported: [Int] = []
    let reader = try StoreReader(path: path) { reported.append($0) }
    try reader.forEachStall { _ in }
    #expect(reported == [1_024, 2_048])
    try reader.forEachStall { _ in }
    #expect(reported == Array(stride(from: 1_024, through: 5_800, by: 1_024)))
  }

  @Test("keeps to the moment at which the reader was opened")
  func snapshot() throws {
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { recorder.close(endedNs: Sample.start + 1) }
    #expect(recorder.take(Sample.loop()))
    #expect(recorder.flush(timeout: 30 * .second))
    let reader = try StoreReader(path: path)
    recorder.take(Sample.loop(LoopID(rawValue: 2)))
    #expect(recorder.flush(timeout: 30 * .second))
    #expect(try reader.loops(session: 1).count == 1)
    #expect(try StoreReader(path: path).loops(session: 1).count == 2)
  }

  @Test("works on a private copy where the log has lost its shared memory")
  func copyOfStoreAndLog() throws {
    let other = TemporaryFolder()
    let copy = other.file("copy ü%?#.db")
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    for record in Self.records { recorder.take(record) }
    #expect(recorder.flush(timeout: 30 * .second))
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
    recorder.close(endedNs: Sample.start)
    let before = other.contents
    #expect(try readAll(copy) == 1)
    #expect(other.contents == before)
  }

  @Test("works on a store in the log's mode without a log")
  func logModeWithoutLog() throws {
    try Sample.write(Self.records, to: path)
    do {
      let connection = try WritableStore.open(path, creating: false, busyTimeout: 1 * .second)
      #expect(WritableStore.useLog(connection))
    }
    let before = folder.contents
    #expect(Array(before.keys) == ["store.db"])
    #expect(try readAll(path) == 1)
    #expect(folder.contents == before)
  }

  @Test("of a store that stood still says so when a recording begins meanwhile")
  func recordingBegins() throws {
    try Sample.write(Self.records, to: path)
    let reader = try StoreReader(path: path)
    let recorder = try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    defer { recorder.close(endedNs: Sample.start) }
    let error = #expect(throws: StoreError.self) { try reader.loops(session: 1) }
    #expect(error?.message.contains("read it again") == true)
    #expect(try readAll(path) == 1)
  }

  @Test("reads a store anew when a recording begins meanwhile")
  func readsAnew() throws {
    try Sample.write(Self.records, to: path)
    var recorders: [StoreRecorder] = []
    defer { for recorder in recorders { recorder.close(endedNs: Sample.start) } }
    let sessions = try StoreReader.undisturbed {
      let reader = try StoreReader(path: path)
      if recorders.isEmpty {
        recorders.append(try StoreRecorder(path: path, session: Sample.session(), configuration: .patient))
      }
      _ = try reader.loops(session: 1)
      return try reader.sessions().count
    }
    #expect(sessions == 2)
    #expect(throws: StoreError.recordingBegan(path: path)) {
      try StoreReader.undisturbed { throw StoreError.recordingBegan(path: path) }
    }
  }

  @Test("follows a symbolic link and takes a path of any characters")
  func paths() throws {
    let strange = folder.file("a b%41?mode=rw#ü.db")
    try Sample.write(Self.records, to: strange)
    let link = folder.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: strange)
    #expect(try readAll(link) == 1)
    #expect(try readAll(strange) == 1)
    #expect(folder.contents.count == 2)
  }
}
