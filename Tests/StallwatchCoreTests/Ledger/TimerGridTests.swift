import SeededNumbers
import StallwatchCore
import Testing

@Suite("A timer's due times")
struct TimerGridTests {
  private let loop = TraceLoop()

  private func timer(_ interval: Nanoseconds) -> TraceTimer {
    TraceTimer(every: interval, first: loop.now + interval, on: loop)
  }

  @Test("that have passed when the timer is invalidated are dropped, by the mode that kept it from firing")
  func endedOverdue() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due)
    loop.entry(15.ms, in: .modal)
    timer.finish(at: loop.now + 40.ms)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 4)
    #expect(delta.droppedByMode.map(\.mode) == [TraceMode.modal.rawValue])
    #expect(delta.droppedByMode.map(\.count) == [4])
  }

  @Test("belong to the run that begins at that moment, and not to the one that ends")
  func boundary() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due)
    loop.entry(20.ms, in: .modal)
    loop.exit(20.ms, in: .modal)
    loop.beforeTimers(5.ms)
    // Due at 20, 30 and 40 ms; the modal run went from 20 to 40 ms.
    timer.fire(at: loop.now)
    let delta = try #require(timer.delta())
    #expect(delta.dropped == 2)
    #expect(delta.droppedByMode.map(\.count) == [1])
  }

  @Test("end with the old interval, and begin anew with the new one")
  func intervalChange() throws {
    loop.entry()
    let timer = timer(10.ms)
    timer.fire(at: timer.due)
    let last = timer.due - 10.ms
    timer.fold.change(interval: 3.ms, due: last + 30.ms, at: last + 25.ms)
    timer.fold.begin(due: last + 30.ms, interval: 3.ms, at: last + 30.ms)
    timer.fold.end(at: last + 30.ms)
    timer.fold.begin(due: last + 33.ms, interval: 3.ms, at: last + 33.ms)
    var delta = try #require(timer.delta())
    #expect(delta.intervalChanges == 1)
    #expect(delta.rearmed == 0)
    #expect(delta.dropped == 2)
    timer.fold.begin(due: last + 38.ms, interval: 5.ms, at: last + 38.ms)
    delta = try #require(timer.delta())
    #expect(delta.intervalChanges == 1, "also where nobody announced it")
    #expect(delta.dropped == 0)
  }

  @Test("that the program replaces before the first of them are not dropped, announced or found out")
  func rearmedBeforeFirst() throws {
    loop.entry()
    let announced = timer(10.ms)
    announced.fold.rearm(to: loop.now + 33.ms, at: loop.now + 1.ms)
    announced.fold.begin(due: loop.now + 33.ms, interval: 10.ms, at: loop.now + 33.ms)
    let found = timer(10.ms)
    found.fold.begin(due: loop.now + 33.ms, interval: 10.ms, at: loop.now + 33.ms)
    for timer in [announced, found] {
      let delta = try #require(timer.delta())
      #expect(delta.rearmed == 1)
      #expect(delta.dropped == 0)
    }
  }

  @Test("of a one-shot are one, dropped when it is invalidated after it")
  func oneShot() {
    let late = TraceTimer(every: 0, first: loop.now + 5.ms, on: loop)
    late.fold.finish(at: loop.now + 400.ms)
    #expect(late.counters.dropped == 1)
    let early = TraceTimer(every: 0, first: loop.now + 5.ms, on: loop)
    early.fold.finish(at: loop.now + 4.ms)
    #expect(early.counters.dropped == 0)
  }

  @Test("may be as far apart as numbers reach")
  func extremes() throws {
    loop.entry()
    for interval in [1, Nanoseconds.max / 2, .max] {
      let timer = TraceTimer(every: interval, first: loop.now, on: loop)
      timer.fold.begin(due: loop.now, interval: interval, at: loop.now)
      timer.fold.end(at: loop.now + 100.ms)
      timer.fold.begin(due: .max, interval: interval, at: loop.now + 1.s)
      timer.fold.rearm(to: .max, at: loop.now + 1.s)
      timer.fold.finish(at: .max - 1)
      #expect(timer.delta()?.fired == 2)
    }
  }

  /// CF's rule and the reasons, worked out the slow way: each due time is looked at alone.
  @Test("are dropped for the reason that each has, whatever the schedule", arguments: 0..<200)
  func reasons(seed: Int) throws {
    var numbers = RandomNumbers(seed: UInt64(seed))
    var modeAt: [(from: Nanoseconds, mode: TraceMode?)] = [(0, nil)]
    let interval = Nanoseconds.random(in: 1.ms...20.ms, using: &numbers)
    loop.entry()
    modeAt.append((loop.now, .default))
    let timer = timer(interval)
    timer.fold.join(mode: TraceMode.default.rawValue)
    timer.fold.join(mode: TraceMode.tracking.rawValue)
    var skipped: [Nanoseconds] = []
    for _ in 0..<Int.random(in: 1...25, using: &numbers) {
      loop.beforeTimers(timer.due.since(loop.now))
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0:
        let mode = TraceMode.allCases.randomElement(using: &numbers)!
        loop.entry(Nanoseconds.random(in: 0...30.ms, using: &numbers), in: mode)
        modeAt.append((loop.now, mode))
        loop.exit(Nanoseconds.random(in: 0...150.ms, using: &numbers), in: mode)
        modeAt.append((loop.now, .default))
      case 1:
        loop.exit()
        modeAt.append((loop.now, nil))
        loop.entry(Nanoseconds.random(in: 2.ms...90.ms, using: &numbers))
        modeAt.append((loop.now, .default))
      default: loop.beforeTimers(Nanoseconds.random(in: 0...90.ms, using: &numbers))
      }
      var due = timer.due + interval
      while due <= loop.now {
        skipped.append(due)
        due += interval
      }
      timer.fire(at: loop.now)
    }
    var byMode: [Int: UInt64] = [:]
    var outside: UInt64 = 0
    for due in skipped {
      switch modeAt.last(where: { $0.from <= due })!.mode {
      case nil: outside += 1
      case .default, .tracking: break
      case .some(let mode): byMode[mode.rawValue, default: 0] += 1
      }
    }
    let delta = try #require(timer.delta())
    #expect(delta.fired == timer.fired)
    #expect(delta.dropped == UInt64(skipped.count))
    #expect(delta.droppedOutside == outside)
    #expect(Dictionary(uniqueKeysWithValues: delta.droppedByMode.map { ($0.mode, $0.count) }) == byMode)
  }
}
