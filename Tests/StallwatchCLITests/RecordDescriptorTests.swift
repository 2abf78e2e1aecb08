import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// A recorded program that closes descriptors that it does not know meets none of ours, and we none of its files.
@Suite(.serialized) struct RecordDescriptorTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  @Test(arguments: ["closefrom", "close_range", "close", "dup2"], ["before", "after"])
  func `a program that closes what it does not know keeps its files, and its recording`(
    how: String, when: String
  ) throws {
    let program = [Built.product("own-files"), how, when]
    let alone = try TestRun.run(program)
    #expect(alone.exitCode == 0, "\(alone.text)")
    let run = try bench.record(program)
    #expect(run.exitCode == 0)
    #expect(run.text == alone.text)
    #expect(run.errorText == "")
    try expectStalls(in: bench.files.file("store.stallwatch"), when == "before" ? 4 : 8)
  }

  @Test(arguments: ["close", "dup2"], ["before", "after"])
  func `with the monitor embedded it keeps them, too`(how: String, when: String) throws {
    let program = [Built.product("own-files"), how, when]
    let alone = try TestRun.run(program)
    let store = bench.files.file("embedded.stallwatch")
    let run = try TestRun.run(program + [store])
    #expect(run.exitCode == 0)
    #expect(run.text == alone.text)
    #expect(run.errorText == "")
    try expectStalls(in: store, when == "before" ? 4 : 8)
  }

  /// Each of its turns holds the loop four times for twice 90 ms.
  private func expectStalls(in path: String, _ count: Int) throws {
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.ended) == [.clean])
    let session = try #require(try reader.sessions().first)
    #expect(try reader.worstStalls(limit: 50).count { $0.duration >= 90_000_000 } >= count)
    // A thread that has no processor when it is looked at costs a look.
    let health = try reader.health(session: session.id)
    #expect(health.losses.filter { $0.key != "looks" } == [:])
    #expect(health.trouble == nil)
  }
}
