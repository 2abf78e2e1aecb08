import StallwatchCore
import Testing

@Suite("The timers that stalls hurt")
struct StallTimersTests {
  private let timer = TimerID(rawValue: 7)

  private func began(_ id: UInt64, at start: Nanoseconds) -> StallBegan {
    StallBegan(
      id: StallID(rawValue: id), loop: LoopID(rawValue: 1), mode: 0, phase: .service, depth: 1, kind: .stall,
      startedNs: start, detectedNs: start + 50.ms, annotations: [:])
  }

  private func ended(_ id: UInt64, after duration: Nanoseconds, _ state: StallState = .ended) -> StallEnded {
    StallEnded(id: StallID(rawValue: id), state: state, duration: duration, phase: .service, reason: nil)
  }

  private func late(due: Nanoseconds, at: Nanoseconds) -> LateFire {
    LateFire(slot: 0, isCallout: true, due: due, interval: 10.ms, from: due, at: at)
  }

  @Test("are those whose due time lies before its end and whose callout came after its start")
  func overlap() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms))
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 101.ms), of: timer)
    timers.add(late(due: 1.s + 300.ms, at: 1.s + 320.ms), of: TimerID(rawValue: 8))
    #expect(
      timers.drain() == [
        StallTimer(stall: StallID(rawValue: 1), timer: timer, late: 1, dropped: 7, worstLateness: 81.ms)
      ])
    for _ in 0..<5 { #expect(timers.drain().isEmpty, "it is reported once") }
  }

  @Test("are found for a stall that becomes known later, and for both of two stalls")
  func later() {
    var timers = StallTimers()
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 301.ms), of: timer)
    #expect(timers.drain().isEmpty)
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms))
    let first = timers.drain()
    #expect(first.map(\.stall.rawValue) == [1])
    #expect(first.map(\.dropped) == [7])
    timers.begin(began(2, at: 1.s + 200.ms))
    timers.end(ended(2, after: 101.ms))
    let second = timers.drain()
    #expect(second.map(\.stall.rawValue) == [2])
    #expect(second.map(\.dropped) == [11])
  }

  @Test("wait until the stall has ended, because only then it is known how far it reached")
  func open() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 301.ms), of: timer)
    for _ in 0..<20 { #expect(timers.drain().isEmpty) }
    timers.end(ended(1, after: 60.ms))
    #expect(timers.drain().map(\.dropped) == [3])
  }

  @Test("lose of their own long callout only what fell into the stall, not what a nested run let pass")
  func ownCallout() {
    var timers = StallTimers()
    timers.add(
      LateFire(slot: 0, isCallout: false, due: 1.s, interval: 10.ms, from: 1.s, at: 11.s), of: timer)
    timers.begin(began(1, at: 5.s))
    timers.end(ended(1, after: 60.ms))
    #expect(
      timers.drain() == [StallTimer(stall: StallID(rawValue: 1), timer: timer, late: 0, dropped: 6, worstLateness: 0)])
  }

  @Test("are not sought for a stall that ended more than ten minutes before the next one", arguments: [599, 601])
  func forgotten(pause: Int) {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 1.s))
    timers.begin(began(2, at: 2.s + pause.s))
    timers.end(ended(2, after: 1.s))
    timers.add(late(due: 1.s, at: 4.s + pause.s), of: timer)
    #expect(timers.drain().map(\.stall.rawValue) == (pause < 600 ? [1, 2] : [2]))
  }

  @Test("are sought for the last 64 stalls at most")
  func memory() {
    var timers = StallTimers()
    for number in 1...65 as ClosedRange<UInt64> {
      timers.begin(began(number, at: 1.s + number))
      timers.end(ended(number, after: 1.s))
    }
    timers.add(late(due: 1.s, at: 3.s), of: timer)
    #expect(timers.drain().map(\.stall.rawValue) == Array(2...65))
  }

  @Test("are sought for a stall that goes on however long, while others begin and are forgotten")
  func longStall() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    for number in 2...40 as ClosedRange<UInt64> {
      timers.begin(began(number, at: 400.s * number))
      timers.end(ended(number, after: 1.s))
    }
    timers.end(ended(1, after: 16_200.s))
    timers.add(late(due: 1.s, at: 17_000.s), of: timer)
    #expect(timers.drain().map(\.stall.rawValue) == [1, 39, 40])
  }

  @Test("are added up where one stall made a timer late twice")
  func twice() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms))
    timers.add(late(due: 1.s + 35.ms, at: 1.s + 50.ms), of: timer)
    timers.add(late(due: 1.s + 55.ms, at: 1.s + 101.ms), of: timer)
    #expect(
      timers.drain() == [
        StallTimer(stall: StallID(rawValue: 1), timer: timer, late: 2, dropped: 5, worstLateness: 46.ms)
      ])
  }

  @Test("are counted as lost where more of them wait than fit")
  func full() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    for _ in 0..<1_030 { timers.add(late(due: 1.s + 20.ms, at: 1.s + 21.ms), of: timer) }
    #expect(timers.lost == 6)
    timers.end(ended(1, after: 100.ms))
    #expect(timers.drain().map(\.late) == [1_024])
  }

  @Test("are none of a cancelled stall")
  func cancelled() {
    var timers = StallTimers()
    timers.begin(began(1, at: 1.s))
    timers.end(ended(1, after: 100.ms, .cancelled))
    timers.add(late(due: 1.s + 20.ms, at: 1.s + 101.ms), of: timer)
    for _ in 0..<5 { #expect(timers.drain().isEmpty) }
  }
}
