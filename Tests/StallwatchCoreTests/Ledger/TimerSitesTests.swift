import Testing

@testable import StallwatchCore

@Suite("The entries of timers that were made at one place")
struct TimerSitesTests {
  private let loop = LoopID(rawValue: 1)

  private func timer(
    _ number: UInt64, of loop: LoopID = LoopID(rawValue: 1), origin: UInt64 = 100, interval: Nanoseconds = 5,
    modes: [String] = ["default"], name: String? = nil
  ) -> TimerRecord {
    TimerRecord(
      id: TimerID(rawValue: number), loop: loop, name: name, kind: .runLoop, origin: origin, interval: interval,
      tolerance: 0, modes: modes, madeNs: number)
  }

  @Test("are one where 10,000 live one after the other")
  func oneAfterTheOther() {
    var sites = TimerSites()
    for number in 1...10_000 as ClosedRange<UInt64> {
      let entry = sites.take(timer(number))
      #expect(entry.record == timer(1))
      #expect(entry.timers == number)
      #expect(sites.count == 0)
      #expect(sites.give(entry, endedNs: 0) == nil)
    }
    #expect(sites.count == 1)
  }

  @Test("are as many as lived at one time")
  func atOneTime() {
    var sites = TimerSites()
    for round in 0..<100 as Range<UInt64> {
      let entries = (0..<7).map { sites.take(timer(round * 7 + $0 + 1)) }
      #expect(Set(entries.map(\.record.id.rawValue)).count == 7)
      #expect(entries.allSatisfy { $0.record.id.rawValue <= 7 })
      for entry in entries { #expect(sites.give(entry, endedNs: 0) == nil) }
    }
    #expect(sites.count == 7)
  }

  @Test("are apart where loop, origin, interval, modes or name differ")
  func apart() {
    var sites = TimerSites()
    let first = sites.take(timer(1))
    #expect(sites.give(first, endedNs: 0) == nil)
    let others = [
      timer(2, of: LoopID(rawValue: 2)), timer(3, origin: 101), timer(4, interval: 6), timer(5, modes: []),
      timer(6, name: "named"),
    ]
    for other in others { #expect(sites.take(other).record == other) }
    #expect(sites.hasEntry(like: timer(7)))
    #expect(!sites.hasEntry(like: timer(7, name: "named")))
  }

  @Test("leave with their loop")
  func end() {
    var sites = TimerSites()
    for number in 1...1_000 as ClosedRange<UInt64> {
      let id = LoopID(rawValue: UInt32(number % 10) + 1)
      #expect(sites.give(sites.take(timer(number, of: id, interval: number)), endedNs: 0) == nil)
    }
    #expect(sites.count == 1_000)
    for number in 1...10 as ClosedRange<UInt32> { sites.end(LoopID(rawValue: number)) }
    #expect(sites.count == 0)
    #expect(sites.take(timer(2_000, interval: 1)).timers == 1)
  }

  @Test("are bounded where each timer is of another kind, and the oldest are given up first")
  func bound() {
    var sites = TimerSites()
    var givenUp: [UInt64] = []
    let made = UInt64(3 * TimerSites.capacity)
    for number in 1...made {
      if let id = sites.give(sites.take(timer(number, interval: number)), endedNs: 0) { givenUp.append(id.rawValue) }
      #expect(sites.count <= TimerSites.capacity)
    }
    #expect(givenUp == Array(1...(made - UInt64(TimerSites.capacity))))
    #expect(sites.take(timer(made + 1, interval: made)).record.id.rawValue == made, "the latest still wait")
  }

  @Test("are bounded, and given up in order, where a few of them come and go all the time")
  func comingAndGoing() {
    var sites = TimerSites()
    for number in 1...UInt64(10 * TimerSites.capacity) {
      #expect(sites.give(sites.take(timer(number, interval: number % 3)), endedNs: 0) == nil)
    }
    #expect(sites.count == 3)
  }

  @Test("are two where one was made before the other had ended")
  func overlapping() {
    var sites = TimerSites()
    #expect(sites.give(sites.take(timer(10)), endedNs: 20) == nil)
    #expect(sites.take(timer(19)).record.id.rawValue == 19)
    #expect(sites.take(timer(20)).record.id.rawValue == 10)
  }

  @Test("keep no memory of those that have come and gone, whether their loop goes on or not")
  func memory() {
    var sites = TimerSites()
    for number in 1...10_000 as ClosedRange<UInt64> {
      let loop = LoopID(rawValue: UInt32(number % 2 == 0 ? 1 : number))
      #expect(sites.give(sites.take(timer(number, of: loop)), endedNs: number) == nil)
      if loop.rawValue != 1 { sites.end(loop) }
      #expect(sites.count <= 1)
      #expect(sites.ordered <= 100)
    }
  }
}
