import Foundation
import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("Pruning and compacting")
struct PruningTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("store.db") }
  private let start = Sample.session().startedAt

  private func makeStore() throws {
    for _ in 0..<2 {
      let aging = try AgingWriter(path)
      try aging.write(minutes: 0..<4)
      for stall in 0..<60 as Range<UInt64> { try aging.writeStall(stall + 1, at: stall * .second, samples: 16) }
      try aging.writer.finish(endedNs: Sample.start + 240 * .second, trouble: nil)
      aging.writer.fold()
    }
  }

  @Test("a rehearsal says what a pruning removes, and changes nothing")
  func rehearsal() throws {
    try makeStore()
    let before = folder.contents
    let limits = RetentionLimits(maximumAge: AgingWriter.day, maximumSize: nil)
    let wallNow = start + 2 * AgingWriter.day
    let rehearsed = try StorePruner(path, limits: limits, rehearsing: true).run(wallNow: wallNow)
    #expect(folder.contents == before)
    #expect(rehearsed.removed.contains { $0.what == .sessions && $0.count == 2 })
    let done = try StorePruner(path, limits: limits).run(wallNow: wallNow)
    #expect(done.removed == rehearsed.removed)
    #expect(done.usedAfter < done.usedBefore)
    #expect(folder.contents.keys.sorted() == ["store.db"])
    #expect(try StoreReader(path: path).sessions().isEmpty)
  }

  @Test("a pruned store gives its room back only when it is compacted, and keeps its mode")
  func compacting() throws {
    try makeStore()
    let length = { try #require(folder.contents["store.db"]).count }
    let long = try length()
    _ = try StorePruner(path, limits: RetentionLimits(maximumAge: nil, maximumSize: 1)).run(wallNow: start)
    #expect(try length() >= long)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    let (before, after) = try StoreCompactor.compact(path)
    #expect(before >= Int64(long) && after < before)
    #expect(try Int64(length()) == after)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    #expect(mode == 0o600)
    #expect(folder.contents.keys.sorted() == ["store.db"])
    _ = try StoreReader(path: path).sessions()
  }

  @Test("compacting refuses a store that somebody writes or has open")
  func refusal() throws {
    try makeStore()
    do {
      let aging = try AgingWriter(path)
      #expect(throws: StoreError.self) { try StoreCompactor.compact(path) }
      try aging.writer.finish(endedNs: Sample.start + 1, trouble: nil)
      // It still has the log open.
      #expect(throws: StoreError.busy(path: path)) { try StoreCompactor.compact(path) }
    }
    _ = try StoreCompactor.compact(path)
  }

  @Test("neither makes a store, or touches a file that is none")
  func others() throws {
    let limits = RetentionLimits()
    #expect(throws: StoreError.self) { _ = try StorePruner(path, limits: limits) }
    #expect(throws: StoreError.self) { _ = try StoreCompactor.compact(path) }
    #expect(folder.contents.isEmpty)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
    for rehearsing in [true, false] {
      #expect(throws: StoreError.foreign(path: path)) {
        _ = try StorePruner(path, limits: limits, rehearsing: rehearsing)
      }
    }
    #expect(throws: StoreError.foreign(path: path)) { _ = try StoreCompactor.compact(path) }
    #expect(folder.contents == ["store.db": Data("hello".utf8)])
  }
}
