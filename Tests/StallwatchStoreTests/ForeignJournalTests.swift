import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("A journal beside a store that Stallwatch did not write")
struct ForeignJournalTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }

  /// A journal that holds no page, of a change to a file of `pages` pages or as many as it has, and ends with the name of
  /// a file as its super-journal.
  private func journal(pages: UInt32? = nil, naming name: String?) throws -> Data {
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    let pages = try pages ?? UInt32(try #require(FileManager.default.contents(atPath: path)).count / 4_096)
    var bytes = magic + word(0) + word(0) + word(pages) + word(512) + word(4_096)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    if let name {
      let sum = name.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
      bytes += word(0x4000_0000 / 4_096 + 1) + Array(name.utf8) + word(UInt32(name.utf8.count)) + word(sum) + magic
    }
    return Data(bytes)
  }

  private func write(journalNaming name: String?) throws {
    try Sample.write([Sample.loop()], to: path)
    try journal(naming: name).write(to: URL(fileURLWithPath: path + "-journal"))
  }

  @Test("deletes no file that it names")
  func superJournal() throws {
    let victim = folder.file("precious.txt")
    try Data("precious, and not empty".utf8).write(to: URL(fileURLWithPath: victim))
    try write(journalNaming: victim)
    let before = folder.contents
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
    #expect(throws: StoreError.self) { try StoreRecorder(path: path, session: Sample.session()) }
    #expect(throws: StoreError.self) { try StoreFinaliser.finalise(path: path) }
    #expect(throws: StoreError.self) { try StoreMerger(into: path) }
    #expect(folder.contents == before)
  }

  @Test("that names none is played back in a copy, and nothing is changed")
  func plain() throws {
    try write(journalNaming: nil)
    let before = folder.contents
    #expect(try StoreReader(path: path).sessions().count == 1)
    #expect(folder.contents == before)
  }

  @Test("that undoes the store's making leaves an empty one, which a recorder may fill")
  func making() throws {
    try Sample.write([], to: path)
    try journal(pages: 0, naming: nil).write(to: URL(fileURLWithPath: path + "-journal"))
    let before = folder.contents
    #expect(throws: StoreError.empty(path: path)) { try StoreReader(path: path) }
    #expect(folder.contents == before)
    try Sample.write([Sample.loop()], to: path)
    #expect(try StoreReader(path: path).sessions().count == 1)
  }

  @Test("that is a pipe, a folder or a link holds nobody up", arguments: ["-journal", "-wal", "-shm"])
  func noFile(suffix: String) throws {
    try Sample.write([Sample.loop()], to: path)
    let companion = path + suffix
    #expect(mkfifo(companion, 0o600) == 0)
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
    unlink(companion)
    #expect(symlink("/etc/hostname", companion) == 0)
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
    unlink(companion)
    #expect(mkdir(companion, 0o700) == 0)
    #expect(throws: StoreError.self) { try StoreReader(path: path) }
  }
}
