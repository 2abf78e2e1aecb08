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

  @Test("says all that is gone of a session that is only smaller now")
  func partOfSession() throws {
    let aging = try AgingWriter(folder.file("store.db"))
    try aging.write(minutes: 0..<120)
    for number in 1...600 as ClosedRange<UInt64> { try aging.writeStall(number, at: number * 5 * .second, samples: 2) }
    try aging.writer.finish(endedNs: Sample.start + 7_200 * .second, trouble: nil)
    aging.writer.fold()
    let limits = RetentionLimits(maximumAge: nil, maximumSize: 340_000)
    let done = try StorePruner(path, limits: limits).run(wallNow: start)
    #expect(done.usedAfter <= 340_000)
    #expect(done.removed.contains { $0.what == .stalls })
    #expect(!done.removed.contains { $0.what == .sessions })
    let connection = try ReadAccess(path: path).connection
    for part in done.removed {
      let noted = try connection.firstInteger("SELECT sum(count) FROM removals WHERE what = '\(part.what.rawValue)'")
      #expect(noted == part.count)
    }
    #expect(try connection.firstInteger("SELECT count(DISTINCT what) FROM removals") == Int64(done.removed.count))
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

  @Test("a merge takes along what was removed from a session, and refuses words that are none")
  func merging() throws {
    try makeStore()
    let none = RetentionLimits(maximumAge: nil, maximumSize: nil)
    let used = try StorePruner(path, limits: none, rehearsing: true).run(wallNow: start).usedBefore
    let limits = RetentionLimits(maximumAge: nil, maximumSize: used * 7 / 8)
    _ = try StorePruner(path, limits: limits).run(wallNow: start + AgingWriter.day)
    let removals = try StoreReader(path: path).removals().filter { $0.session != nil }
    #expect(removals.contains { $0.what == .cells } && removals.contains { $0.reason == .size })
    let target = folder.file("merged.db")
    _ = try StoreMerger(into: target).add(path)
    #expect(try StoreReader(path: target).removals() == removals)
    for change in ["what = 'x'", "reason = 'x'", "count = -1", "until_ns = -1"] {
      let copy = folder.file("copy.db")
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let connection = try Connection(name: copy, flags: 2)
      try connection.run("UPDATE removals SET \(change) WHERE id = (SELECT max(id) FROM removals)")
      #expect(throws: StoreError.self, "\(change)") { _ = try StoreReader(path: copy).removals() }
      #expect(throws: StoreError.self, "\(change)") { _ = try StoreMerger(into: target).add(copy) }
    }
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
