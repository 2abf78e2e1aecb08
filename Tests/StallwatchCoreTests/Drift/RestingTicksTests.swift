import Testing

@testable import StallwatchCore

@Suite("The ticks of a program that rests")
struct RestingTicksTests {
  private let grid = DueGrid(first: 1.s, interval: 1.s)

  /// A control that fired for every tick up to `number`.
  private func control(until number: UInt64) -> ControlTicks {
    var control = ControlTicks(interval: grid.interval)
    for number in 0...number { control.fire(number, lateness: 1.us) }
    return control
  }

  /// Looks once at each tick, 100 µs late, from tick 0 on; every tick has its control.
  private func asked(
    _ ticks: inout RestingTicks, until end: UInt64, activities: (UInt64) -> UInt64 = { _ in 7 }
  ) -> [UInt64] {
    var asked: [UInt64] = []
    for number in 0..<end {
      let step = ticks.look(
        activities: activities(number), isIdle: true, control: control(until: number), at: grid.due(number) + 100.us)
      if !ticks.isResting || step.asked != nil { asked.append(number) }
    }
    return asked
  }

  @Test("are asked for less and less, down to once a minute")
  func thinOut() {
    var ticks = RestingTicks(grid: grid)
    // The loops had turned at the first look. Rest begins at tick 2, which was served like any other.
    #expect(asked(&ticks, until: 300) == [0, 1, 4, 8, 16, 32, 64, 124, 184, 244])
    #expect(ticks.nextNs == grid.due(304))
  }

  @Test("all count while a loop turns at least once from one to the next")
  func turning() {
    var ticks = RestingTicks(grid: grid)
    #expect(asked(&ticks, until: 30) { $0 } == Array(0..<30))
  }

  @Test("all count again when a loop has turned")
  func turnsAgain() {
    var ticks = RestingTicks(grid: grid)
    let asked = asked(&ticks, until: 40) { $0 < 20 ? 7 : 8 }
    #expect(asked.filter { $0 >= 20 } == [20, 21, 24, 28, 36])
  }

  @Test("that come due at rest are reported once, up to the moment at which a loop turns")
  func reportedOnce() {
    var ticks = RestingTicks(grid: grid)
    let control = control(until: 40)
    func look(_ activities: UInt64, _ now: Nanoseconds, isIdle: Bool = true) -> RestingTicks.Step {
      ticks.look(activities: activities, isIdle: isIdle, control: control, at: now)
    }
    for number in 0..<UInt64(3) { _ = look(7, grid.due(number)) }
    #expect(ticks.isResting)
    #expect(look(7, grid.due(3) + 1.ms) == RestingTicks.Step(due: 3..<4))
    #expect(look(7, grid.due(3) + 2.ms) == RestingTicks.Step(due: 4..<4))
    #expect(look(7, grid.due(4)) == RestingTicks.Step(due: 4..<5, asked: 4))
    #expect(look(7, grid.due(6) + 500.ms, isIdle: false) == RestingTicks.Step(due: 5..<7))
    #expect(!ticks.isResting)
    #expect(look(7, grid.due(7), isIdle: false) == RestingTicks.Step())
  }

  @Test("of which one was due long before the look are asked for once, and the next lies ahead")
  func lateLook() {
    var ticks = RestingTicks(grid: grid)
    let control = control(until: 40)
    for number in 0..<UInt64(3) {
      _ = ticks.look(activities: 7, isIdle: true, control: control, at: grid.due(number))
    }
    let step = ticks.look(activities: 7, isIdle: true, control: control, at: grid.due(20))
    #expect(step == RestingTicks.Step(due: 3..<21, asked: 4))
    #expect(ticks.nextNs == grid.due(21))
  }

  @Test("thin out once the control's part in the last one is known, because the control sleeps then")
  func awaitsControl() {
    var ticks = RestingTicks(grid: grid)
    for number in 0..<UInt64(2) {
      _ = ticks.look(activities: 7, isIdle: true, control: control(until: number), at: grid.due(number))
      #expect(!ticks.awaitsControl)
    }
    _ = ticks.look(activities: 7, isIdle: true, control: control(until: 1), at: grid.due(2))
    #expect(ticks.awaitsControl)
    #expect(!ticks.isResting)
    _ = ticks.look(activities: 7, isIdle: true, control: control(until: 2), at: grid.due(2) + 30.ms)
    #expect(!ticks.awaitsControl)
    #expect(ticks.nextNs == grid.due(4))
  }

  @Test("farther apart than a minute are all asked for")
  func longInterval() {
    let grid = DueGrid(first: 1.s, interval: 3_600.s)
    var ticks = RestingTicks(grid: grid)
    for number in 0..<UInt64(6) {
      let step = ticks.look(activities: 7, isIdle: true, control: control(until: number), at: grid.due(number))
      #expect(step.asked == (number > 2 ? number : nil))
    }
  }
}
