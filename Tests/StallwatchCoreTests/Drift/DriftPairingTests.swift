import Testing

@testable import StallwatchCore

@Suite("Ticks of a loop and of the control")
struct DriftPairingTests {
  private let grid = DueGrid(first: 1_100.ms, interval: 100.ms)
  private let loop = LoopID(rawValue: 4)

  private func pairing() -> DriftPairing { DriftPairing(loop: loop, grid: grid, ticksFrom: 1.s) }

  private func served(_ due: Nanoseconds, late: Nanoseconds, inOtherModes: Nanoseconds = 0) -> ServedTick {
    ServedTick(dueNs: due, servedNs: due + late, inOtherModes: inOtherModes)
  }

  private func tick(_ number: UInt64, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?) -> DriftTick {
    DriftTick(
      loop: loop, number: number, dueNs: grid.due(number), runLoopLateness: runLoop, gcdLateness: gcd, inOtherModes: 0)
  }

  @Test("are reported together, whichever comes first")
  func both() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    control.fire(0, lateness: 40.us)
    #expect(pairing.pair(with: control, excluding: Exclusions()).isEmpty)
    pairing.take(served(1_100.ms, late: 3.ms), excluding: Exclusions())
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(0, 3.ms, 40.us)])
    pairing.take(served(1_200.ms, late: 0), excluding: Exclusions())
    #expect(pairing.pair(with: control, excluding: Exclusions()).isEmpty)
    control.fire(1, lateness: 7.us)
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(1, 0, 7.us)])
    #expect(pairing.pair(with: control, excluding: Exclusions()).isEmpty, "reported once")
  }

  @Test("count from the moment at which a loop that waited was woken")
  func woken() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    control.fire(0, lateness: 1.ms)
    pairing.take(served(1_100.ms, late: 9.ms, inOtherModes: 8.ms), wokenNs: 1_107.ms, excluding: Exclusions())
    let reported = pairing.pair(with: control, excluding: Exclusions())
    #expect(reported.map(\.runLoopLateness) == [2.ms])
    #expect(reported.map(\.inOtherModes) == [2.ms], "a part of the lateness, never more")
  }

  @Test("that came due before an earlier one was served are dropped, by the loop and by the control")
  func dropped() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    pairing.take(served(1_100.ms, late: 250.ms), excluding: Exclusions())
    control.fire(0, lateness: 130.ms)
    control.fire(2, lateness: 5.ms)
    #expect(
      pairing.pair(with: control, excluding: Exclusions()) == [
        tick(0, 250.ms, 130.ms), tick(1, nil, nil), tick(2, nil, 5.ms),
      ])
  }

  @Test("that a loop drops are reported while it is held, and the one that it serves in the end keeps its control")
  func progress() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    var reported: [DriftTick] = []
    let last = control.capacity + 1_000
    for number in 0...last {
      control.fire(number, lateness: 9.us)
      pairing.drop(at: grid.due(number) + 1.ms, excluding: Exclusions())
      reported += pairing.pair(with: control, excluding: Exclusions())
    }
    #expect(reported.count == Int(last) - 1, "but for the one to be served, and the latest")
    #expect(reported.allSatisfy { $0.runLoopLateness == nil && $0.gcdLateness == 9.us })
    let lateness = grid.due(last) - grid.due(0) + 50.ms
    pairing.take(served(1_100.ms, late: lateness), excluding: Exclusions())
    reported += pairing.pair(with: control, excluding: Exclusions())
    #expect(reported.suffix(2) == [tick(0, lateness, 9.us), tick(last, nil, 9.us)])
    #expect(Set(reported.map(\.number)).count == reported.count, "each once")
  }

  @Test("are remembered for 40 s at any interval, and never fewer than a minute of the usual ones")
  func memory() {
    #expect(ControlTicks(interval: 10.ms).capacity == 4_000)
    #expect(ControlTicks(interval: 1.s).capacity == 64)
    #expect(ControlTicks(interval: .max).capacity == 64)
  }

  @Test("of a loop that was outside any run are not reported")
  func skipped() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    control.fire(0, lateness: 1.us)
    pairing.take(ServedTick(dueNs: 1_600.ms, servedNs: nil, inOtherModes: 0), excluding: Exclusions())
    for number in 1...UInt64(5) { control.fire(number, lateness: 1.us) }
    pairing.take(served(1_600.ms, late: 2.us), excluding: Exclusions())
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(5, 2.us, 1.us)])
  }

  @Test("for which the control did not run have no lateness of its")
  func pausedControl() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    pairing.take(served(1_100.ms, late: 1.us), excluding: Exclusions())
    control.pass(to: 1)
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(0, 1.us, nil)])
  }

  @Test("that overlap time in which the process did not run are not reported")
  func excluded() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    var exclusions = Exclusions()
    exclusions.add(1_150.ms..<1_450.ms)
    pairing.take(served(1_100.ms, late: 1.ms), excluding: exclusions)
    pairing.take(served(1_200.ms, late: 251.ms), excluding: exclusions)
    control.fire(0, lateness: 352.ms)
    control.fire(4, lateness: 1.ms)
    pairing.take(served(1_500.ms, late: 1.ms), excluding: exclusions)
    #expect(pairing.pair(with: control, excluding: exclusions) == [tick(4, 1.ms, 1.ms)])
  }

  @Test("that were left out at rest are neither served nor dropped nor late, and the one that was asked for is")
  func leftOut() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    pairing.leaveOut(0..<9)
    pairing.leaveOut(10..<14)
    #expect(pairing.nextDueNs == grid.due(9))
    control.fire(9, lateness: 30.us)
    pairing.drop(at: grid.due(13) + 1.ms, excluding: Exclusions())
    // The loop knows of no tick since the first.
    let report = ServedTick(dueNs: grid.due(0), servedNs: grid.due(9) + 50.us, inOtherModes: 0)
    pairing.take(report, wokenNs: grid.due(9) + 20.us, excluding: Exclusions())
    pairing.leaveOut(14..<16)
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(9, 30.us, 30.us)])
    control.fire(16, lateness: 1.us)
    pairing.take(
      ServedTick(dueNs: grid.due(10), servedNs: grid.due(16) + 4.us, inOtherModes: 0), excluding: Exclusions())
    #expect(pairing.pair(with: control, excluding: Exclusions()) == [tick(16, 4.us, 1.us)])
  }

  @Test("that were left out end where a loop wakes by itself, which is late for later ones only")
  func wokeByItself() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    pairing.leaveOut(0..<9)
    pairing.take(
      ServedTick(dueNs: grid.due(0), servedNs: grid.due(8) + 40.ms, inOtherModes: 0), excluding: Exclusions())
    pairing.take(served(grid.due(9), late: 220.ms), excluding: Exclusions())
    control.pass(to: 9)
    for number in 9...UInt64(11) { control.fire(number, lateness: 1.us) }
    #expect(
      pairing.pair(with: control, excluding: Exclusions())
        == [tick(9, 220.ms, 1.us), tick(10, nil, 1.us), tick(11, nil, 1.us)])
  }

  @Test("that a loop had not served before the rest stay, and are as late as they are in the end")
  func pendingBeforeRest() {
    var pairing = pairing()
    var control = ControlTicks(interval: grid.interval)
    control.fire(0, lateness: 1.us)
    _ = pairing.pair(with: control, excluding: Exclusions())
    pairing.leaveOut(2..<30)
    pairing.drop(at: grid.due(30), excluding: Exclusions())
    control.pass(to: 31)
    pairing.take(served(grid.due(0), late: grid.due(30) + 1.ms - grid.due(0)), excluding: Exclusions())
    let reported = pairing.pair(with: control, excluding: Exclusions())
    #expect(reported.map(\.number) == [0, 30])
    #expect(reported.first == tick(0, 3_001.ms, 1.us))
  }

  @Test("skipped by a loop that was outside any run are not asked for again after a rest")
  func skippedAfterRest() {
    var pairing = pairing()
    pairing.leaveOut(0..<9)
    pairing.take(ServedTick(dueNs: grid.due(7), servedNs: nil, inOtherModes: 0), excluding: Exclusions())
    #expect(pairing.nextDueNs == grid.due(9))
  }
}
