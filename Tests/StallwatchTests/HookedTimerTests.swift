import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

/// Timers of a program that links the hooks, by its own count and by the store's.
@Suite("With the hooks linked, timers", .serialized)
struct HookedTimerTests {
  private let program = Built.product("hooked-timers")

  @Test("are counted as the program counts them: through a stall, in other modes, named, re-armed and never fired")
  func life() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/t.stallwatch"
    let run = try TestRun.run([program, "life", store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let lines = run.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let truths = lines.filter { $0[0] == "timer" }
    #expect(truths.count == 6)
    let nested = try #require(lines.first { $0[0] == "nested" }.flatMap { UInt64($0[1]) })
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    let timers = try reader.timers(session: session.id)
    let main = try #require(try reader.loops(session: session.id).first { $0.record.isMain })
    for truth in truths {
      let timer = try #require(timers.first { $0.record.name == truth[1] })
      #expect(timer.ledger.fired == UInt64(truth[2]))
      let bounds = try #require(UInt64(truth[3]))...#require(UInt64(truth[4]))
      #expect(bounds.contains(timer.due), "\(timer.due) due times of \(truth)")
      #expect(timer.ledger.endedNs != nil)
      #expect((timer.loop == main.id) == (truth[1] != "worker"))
    }
    let never = try #require(timers.first { $0.record.name == "never" })
    #expect(never.ledger.dropped > 0 && never.drops.map(\.mode).contains("kCFRunLoopDefaultMode"))
    let early = try #require(timers.first { $0.record.name == "early" })
    #expect(early.record.modes == ["kCFRunLoopDefaultMode"])
    let dropped = early.drops.first { $0.mode == "Private" }?.count ?? 0
    #expect(dropped + 1 >= nested / early.record.interval, "a mode that it is not in, for \(nested) ns")
    #expect(!early.stalls.isEmpty)
    let named = try #require(timers.first { $0.record.name == "Foundation's" })
    #expect(named.ledger.rearmed == 1)
    let oneShots = try #require(timers.first { $0.record.interval == 0 })
    #expect(oneShots.ledger.fired == 10 && oneShots.record.origin != 0, "one entry for one place")
  }

  @Test("keep their own contexts, however they end, whether or not a monitor listens", arguments: [false, true])
  func contexts(isWatched: Bool) throws {
    let directory = try TestDirectory()
    let run = try TestRun.run([program, "contexts"] + (isWatched ? ["\(directory.path)/c.stallwatch"] : []))
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text == "done\n")
  }

  @Test("beyond those for which there is room are counted")
  func many() throws {
    let directory = try TestDirectory()
    let store = "\(directory.path)/m.stallwatch"
    // Limits: 4,096 at one time.
    let run = try TestRun.run([program, "many", "\(4_096 + 321)", store])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    #expect(try reader.health(session: session.id).losses["timers"] == 321)
    #expect(try reader.timers(session: session.id).count == 4_096)
  }

  @Test("cost no allocation in 20,000 callouts")
  func allocations() throws {
    let directory = try TestDirectory()
    let callouts = 20_000
    func allocations(_ store: String?) throws -> Int {
      let run = try TestRun.run([program, "steady", "\(callouts)"] + [store].compactMap { $0 })
      #expect(run.exitCode == 0, "\(run.errorText)")
      return try #require(run.text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    }
    // CoreFoundation's own number differs by a few, with what else happens to the loop.
    let without = try allocations(nil)
    let with = try allocations("\(directory.path)/s.stallwatch")
    #expect(with < without + callouts / 100)
  }
}
