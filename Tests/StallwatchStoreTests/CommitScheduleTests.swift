import StallwatchCore
import Testing

@testable import StallwatchStore

@Suite("The schedule of transactions")
struct CommitScheduleTests {
  private static let configuration: StoreRecorder.Configuration = {
    var configuration = StoreRecorder.Configuration()
    configuration.gatherTime = 100
    configuration.urgentPause = 50
    configuration.queueCapacity = 24
    return configuration
  }()
  private let interval = Record.interval(
    IntervalRecord(kind: .blind, loop: nil, startedNs: 1, endedNs: 2, duration: 1, reason: "new-mode"))

  @Test("has nothing to do for figures alone")
  func figures() {
    var schedule = CommitSchedule(Self.configuration)
    schedule.add([Sample.profile(at: 0, []), Sample.health(at: 1)], at: 1_000)
    #expect(schedule.dueNs == nil)
  }

  @Test("lets records gather, from the first of them on")
  func gathers() {
    var schedule = CommitSchedule(Self.configuration)
    schedule.add([Sample.loop()], at: 1_000)
    schedule.add([Sample.mode()], at: 1_040)
    #expect(schedule.dueNs == 1_100)
    schedule.commit(at: 1_100)
    #expect(schedule.dueNs == nil)
  }

  @Test("has a stall wait for nothing but the pause since the last one")
  func urgent() throws {
    var schedule = CommitSchedule(Self.configuration)
    schedule.add([Sample.loop(), Sample.began(1, at: 0)], at: 1_000)
    #expect(try #require(schedule.dueNs) <= 1_000)
    schedule.commit(at: 1_000)
    schedule.add([Sample.ended(1, duration: 60 * .millisecond)], at: 1_010)
    schedule.add([Sample.began(2, at: .second)], at: 1_020)
    #expect(schedule.dueNs == 1_050)
    schedule.commit(at: 1_050)
    schedule.add([interval], at: 1_060)
    #expect(schedule.dueNs == 1_160, "what is no stall gathers as before")
  }

  @Test("does not wait once an eighth of the queue's room waits")
  func crowd() throws {
    var schedule = CommitSchedule(Self.configuration)
    schedule.add([Sample.began(1, at: 0)], at: 1_000)
    schedule.commit(at: 1_000)
    schedule.add([interval, interval, interval], at: 1_001)
    #expect(try #require(schedule.dueNs) <= 1_001)
  }
}
