import CSQLite
import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("What is no store")
struct RefusalTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  /// What reading, recording and finalising say of `path`, which they must leave as it is.
  private func complaints(_ path: String, unchanged: Bool = true) -> [StoreError?] {
    let before = folder.contents
    let attempts: [() throws -> Void] = [
      { _ = try StoreReader(path: path) },
      { try StoreRecorder(path: path, session: Sample.session(), configuration: .patient).close(endedNs: 0) },
      { try StoreFinaliser.finalise(path: path) },
    ]
    let errors = attempts.map { attempt -> StoreError? in
      do { try attempt() } catch { return error as? StoreError }
      return nil
    }
    if unchanged { #expect(folder.contents == before) }
    for error in errors.compactMap({ $0 }) {
      #expect(error.message.hasPrefix(path))
      #expect(!error.message.contains("\n"))
    }
    return errors
  }

  private func makeDatabase(_ sql: String) throws {
    let connection = try Connection(
      name: try StorePath.forWriting(path, creating: true), flags: SQLITE_OPEN_READWRITE)
    try connection.run(sql)
  }

  @Test("is refused and left as it is: a foreign file")
  func foreign() throws {
    try Data("#!/bin/sh\necho hello, this is a script and no database\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(complaints(path) == Array(repeating: .foreign(path: path), count: 3))
    try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: path))
    #expect(complaints(path) == Array(repeating: .foreign(path: path), count: 3))
    try Data("SQ".utf8).write(to: URL(fileURLWithPath: path))
    #expect(complaints(path)[1] == .foreign(path: path))
  }

  @Test("is refused and left as it is: another program's database")
  func anotherDatabase() throws {
    try makeDatabase("CREATE TABLE sessions (id INTEGER PRIMARY KEY); PRAGMA user_version = 1")
    #expect(complaints(path) == Array(repeating: .foreign(path: path), count: 3))
  }

  @Test("is refused and left as it is: a newer store")
  func newer() throws {
    try Sample.write([], to: path)
    let next = Schema.version + 1
    try makeDatabase("PRAGMA user_version = \(next)")
    #expect(
      complaints(path) == Array(repeating: .newer(path: path, version: next, supported: Schema.version), count: 3))
  }

  @Test("is refused: a store cut short", arguments: [0.1, 0.5, 0.9, 0.999])
  func cutShort(share: Double) throws {
    try Sample.write([Sample.loop()], to: path)
    let whole = try #require(FileManager.default.contents(atPath: path))
    try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: path))
    let errors = complaints(path)
    #expect(errors.allSatisfy { if case .damaged = $0 { true } else { false } }, "\(errors)")
  }

  @Test("is refused: a header alone, or a part of it", arguments: [16, 60, 100, 512])
  func headerAlone(length: Int) throws {
    try Sample.write([], to: path)
    let whole = try #require(FileManager.default.contents(atPath: path))
    try whole.prefix(length).write(to: URL(fileURLWithPath: path))
    for error in complaints(path) {
      if case .damaged = error {} else { Issue.record("\(String(describing: error))") }
    }
  }

  @Test("is refused by a reader: an empty file, which a recorder may fill")
  func empty() throws {
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.empty(path: path)) { try StoreReader(path: path) }
    try Sample.write([Sample.loop()], to: path)
    #expect(try StoreReader(path: path).sessions().count == 1)
  }

  @Test("is refused: nothing, a folder, a pipe")
  func noFile() throws {
    #expect(throws: StoreError.missing(path: path)) { try StoreReader(path: path) }
    #expect(throws: StoreError.missing(path: path)) { try StoreFinaliser.finalise(path: path) }
    #expect(folder.contents.isEmpty)
    #expect(
      complaints(folder.path) == Array(repeating: .notAFile(path: folder.path, what: "a directory"), count: 3))
    #expect(mkfifo(path, 0o600) == 0)
    for error in complaints(path, unchanged: false) { #expect(error == .notAFile(path: path, what: "a pipe")) }
    let lost = folder.file("none/store.db")
    #expect(throws: StoreError.self) {
      try StoreRecorder(path: lost, session: Sample.session(), configuration: .patient)
    }
    #expect(throws: StoreError.missing(path: lost)) { try StoreReader(path: lost) }
  }

  @Test("is refused by a writer: a symbolic link, be it to a store or to nothing")
  func symbolicLink() throws {
    let link = folder.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(throws: StoreError.notAFile(path: link, what: "a symbolic link")) {
      try StoreRecorder(path: link, session: Sample.session(), configuration: .patient)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    try Sample.write([], to: path)
    #expect(throws: StoreError.notAFile(path: link, what: "a symbolic link")) {
      try StoreRecorder(path: link, session: Sample.session(), configuration: .patient)
    }
  }

  @Test("is no reason to refuse: a link in the path to its folder")
  func linkedFolder() throws {
    let link = folder.file("linked")
    let real = TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real.path)
    try Sample.write([Sample.loop()], to: link + "/store.db")
    #expect(try StoreReader(path: link + "/store.db").loops(session: 1).count == 1)
  }

  @Test("is refused: a place where nothing can be written")
  func unwritable() throws {
    // Root may write anywhere but here.
    let error = #expect(throws: StoreError.self) {
      try StoreRecorder(path: "/proc/self/store.db", session: Sample.session(), configuration: .patient)
    }
    #expect(error?.message.hasPrefix("/proc/self/store.db") == true)
    guard getuid() != 0 else { return }
    try Sample.write([], to: path)
    chmod(path, 0o400)
    let refusal = #expect(throws: StoreError.self) {
      try StoreRecorder(path: path, session: Sample.session(), configuration: .patient)
    }
    if case .notPermitted = refusal {} else { Issue.record("\(String(describing: refusal))") }
    #expect(try StoreReader(path: path).sessions().count == 1)
    chmod(path, 0)
    let secret = #expect(throws: StoreError.self) { try StoreReader(path: path) }
    if case .notPermitted = secret {} else { Issue.record("\(String(describing: secret))") }
  }
}
