import SeededNumbers
import StallwatchCore
import Testing

@Suite("A timer's ledger")
struct TimerFoldTests {
  private let loop = TraceLoop()

  private func timer(_ interval: Nanoseconds) -> TraceTimer {
    TraceTimer(every: interval, first: loop.now + interval, on: loop)
  }

  @Test("counts a callout on time as fired, with its lateness and its length")
  func onTime() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due + 3.us, taking: 200.us)
    timer.fire(at: timer.due + 5.us, taking: 100.us)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 0)
    #expect(delta.coalesced == 0)
    #expect(delta.lateness?.count == 2)
    #expect(delta.lateness?.total == 8.us)
    #expect(delta.lateness?.maximum == 5.us)
    #expect(delta.calloutTotal == 300.us)
    #expect(delta.calloutMaximum == 200.us)
    #expect(delta.worst?.lateness == 5.us)
    #expect(timer.delta() == nil, "nothing has grown since")
  }

  @Test("is not late by what the program waited for the monitor, and has dropped nothing in that time")
  func startUp() throws {
    loop.entry()
    let timer = timer(10.ms)
    let first = timer.due
    // Due 5 ms before the start-up began; then in it, at 5, 15 and 25 ms of its 32; then 3 ms after it.
    let startUp = (first + 5.ms)..<(first + 37.ms)
    timer.fold.begin(due: first, interval: 10.ms, at: first + 41.ms, startUp: startUp)
    timer.fold.end(at: first + 41.ms)
    timer.fold.begin(due: first + 50.ms, interval: 10.ms, at: first + 50.ms, startUp: startUp)
    timer.fold.end(at: first + 50.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.lateness?.total == 9.ms)
    #expect(delta.dropped == 1, "the one that was due after the start-up")
  }

  @Test("counts what a stall has made it miss as dropped, and reports the stall")
  func stall() throws {
    loop.entry()
    loop.beforeTimers()
    let timer = timer(10.ms)
    let start = loop.now
    loop.beforeTimers(95.ms)
    timer.fire(at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 1)
    #expect(delta.dropped == 8)
    #expect(delta.droppedByMode.isEmpty && delta.droppedOutside == 0)
    #expect(delta.coalesced == 1)
    let late = try #require(timer.fires.pop())
    let due = start + 10.ms
    #expect(late == LateFire(slot: 3, isCallout: true, due: due, interval: 10.ms, from: due, at: loop.now))
    #expect(late.missed == 8)
    #expect(timer.fires.pop() == nil)
  }

  @Test("counts what falls into its own callout as dropped by itself")
  func ownCallout() throws {
    loop.entry()
    loop.beforeTimers()
    let timer = timer(10.ms)
    let began = timer.due
    timer.fire(at: began, taking: 75.ms)
    timer.fire(at: timer.due)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 7)
    #expect(delta.coalesced == 1)
    let own = try #require(timer.fires.pop())
    #expect(
      own == LateFire(slot: 3, isCallout: false, due: began, interval: 10.ms, from: began, at: began + 75.ms))
    #expect(own.missed == 7)
  }

  @Test("counts what another mode has made it miss under that mode, to the fire")
  func otherMode() throws {
    loop.entry()
    let timer = timer(100.ms)
    timer.fire(at: timer.due)
    loop.entry(150.ms, in: .modal)
    for _ in 0..<200 {
      loop.beforeTimers(in: .modal)
      loop.beforeSources(in: .modal)
      loop.beforeWaiting(in: .modal)
      loop.afterWaiting(10.ms, in: .modal)
    }
    loop.exit(in: .modal)
    // Due at 200 ms after the entry; the modal run went from 150 ms to 2,150 ms.
    timer.fire(at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 19)
    #expect(delta.droppedByMode.map(\.mode) == [TraceMode.modal.rawValue])
    #expect(delta.droppedByMode.map(\.count) == [19])
    #expect(delta.droppedOutside == 0)
    #expect(timer.fires.pop() == nil, "no span was long")
  }

  @Test("does not blame a mode that it is in")
  func ownMode() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fold.join(mode: TraceMode.modal.rawValue)
    loop.entry(1.ms, in: .modal)
    loop.exit(80.ms, in: .modal)
    timer.fire(at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 7)
    #expect(delta.droppedByMode.isEmpty)
  }

  @Test("counts what was due outside any run")
  func outside() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due)
    loop.exit(15.ms)
    loop.entry(50.ms)
    timer.fire(at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 4)
    #expect(delta.droppedOutside == 4)
  }

  @Test("begins a new grid where the program gives another date, announced or found out")
  func rearmed() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due)
    let last = timer.due - 10.ms
    timer.fold.rearm(to: last + 1.s, at: last + 25.ms)
    timer.fold.begin(due: last + 1.s, interval: 10.ms, at: last + 1.s)
    timer.fold.end(at: last + 1.s)
    var delta = try #require(timer.delta())
    #expect(delta.fired == 2)
    #expect(delta.dropped == 2, "due at 10 and 20 ms before it was re-armed at 25 ms")
    #expect(delta.rearmed == 1)
    timer.fold.begin(due: last + 1.s + 33.ms, interval: 10.ms, at: last + 1.s + 33.ms)
    delta = try #require(timer.delta())
    #expect(delta.rearmed == 1)
    #expect(delta.dropped == 0)
  }

  @Test("of one-shots that share it counts each that fires, and one that is ended when it was due")
  func oneShots() throws {
    loop.entry()
    let timer = TraceTimer(every: 0, first: 0, on: loop)
    for number in 1...3 {
      timer.fold.begin(due: loop.now + number.ms, interval: 0, at: loop.now + number.ms + 4.us)
      timer.fold.end(at: loop.now + number.ms + 5.us)
    }
    timer.fold.dropOneShot(due: loop.now + 20.ms, at: loop.now + 10.ms)
    timer.fold.dropOneShot(due: loop.now + 5.ms, at: loop.now + 10.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 3)
    #expect(delta.dropped == 1)
    #expect(delta.rearmed == 0)
    #expect(delta.lateness?.total == 12.us)
  }

  @Test("ended before its first callout has dropped what was due by then")
  func neverFired() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.finish(at: loop.now + 35.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 0)
    #expect(delta.dropped == 3)
    #expect(delta.endedNs == loop.now + 35.ms)
    timer.fold.finish(at: loop.now + 1.s)
    #expect(timer.delta() == nil, "it ends once")
  }

  @Test("ended inside its callout has dropped what fell into it")
  func endedInside() throws {
    loop.entry()
    let timer = timer(10.ms)
    let due = timer.due
    timer.fold.begin(due: due, interval: 10.ms, at: due + 12.ms)
    timer.fold.finish(at: due + 31.ms)
    timer.fold.end(at: due + 60.ms)
    let delta = try #require(timer.delta())
    #expect(delta.fired == 1)
    #expect(delta.dropped == 3)
  }

  @Test("says as much as CF's rule, whatever the schedule", arguments: 0..<200)
  func anySchedule(seed: Int) throws {
    var numbers = RandomNumbers(seed: UInt64(seed))
    loop.entry()
    loop.beforeTimers()
    let interval = Nanoseconds.random(in: 1.ms...40.ms, using: &numbers)
    let timer = TraceTimer(every: interval, first: loop.now + interval, on: loop)
    for _ in 0..<Int.random(in: 0...200, using: &numbers) {
      if loop.now < timer.due {
        loop.beforeSources()
        loop.beforeWaiting()
        loop.afterWaiting(timer.due - loop.now)
      }
      let mode = TraceMode.allCases.randomElement(using: &numbers)!
      if numbers.chance(20) {
        loop.entry(in: mode)
        loop.beforeTimers(in: mode)
        loop.exit(Nanoseconds.random(in: 0...300.ms, using: &numbers), in: mode)
      }
      let late = numbers.chance(30) ? Nanoseconds.random(in: 0...200.ms, using: &numbers) : 0
      loop.beforeTimers(late)
      let length = numbers.chance(30) ? Nanoseconds.random(in: 0...100.ms, using: &numbers) : 0
      timer.fire(at: loop.now, taking: length, after: Nanoseconds.random(in: 0...9.us, using: &numbers))
      loop.beforeTimers(length + 10.us)
    }
    timer.finish(at: loop.now + Nanoseconds.random(in: 0...100.ms, using: &numbers))
    let delta = try #require(timer.delta())
    #expect(delta.fired == timer.fired)
    #expect(delta.dropped == timer.skipped)
    #expect(delta.droppedByMode.reduce(0) { $0 + $1.count } + delta.droppedOutside <= delta.dropped)
    #expect(delta.lateness?.count ?? 0 == delta.fired)
  }
}
