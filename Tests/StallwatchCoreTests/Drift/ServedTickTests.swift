import Testing

@testable import StallwatchCore

@Suite("A loop under the drift probe")
struct ServedTickTests {
  /// Ticks every 100 ms, the first of them 100 ms after the loop came under watch at 1 s.
  private let loop: TraceLoop = {
    let loop = TraceLoop(watchedFrom: 1.s, grid: DueGrid(first: 1_100.ms, interval: 100.ms))
    loop.region.setDriftModes([TraceMode.default.rawValue, TraceMode.tracking.rawValue])
    return loop
  }()

  private var ticks: [ServedTick] {
    var ticks: [ServedTick] = []
    while let tick = loop.region.ticks.pop() { ticks.append(tick) }
    return ticks
  }

  private func wait(_ mode: TraceMode = .default) {
    loop.beforeTimers(in: mode)
    loop.beforeSources(in: mode)
    loop.beforeWaiting(in: mode)
  }

  @Test("serves a tick when it wakes up at its due time, once, and shows the next")
  func onTime() {
    loop.entry()
    wait()
    #expect(loop.region.tickDue == 1_100.ms)
    loop.afterWaiting(100.ms)
    wait()
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_100.ms, inOtherModes: 0)])
    #expect(loop.region.tickDue == 1_200.ms)
  }

  @Test("serves none before its first, which is the next of the grid after the moment that was asked for")
  func first() {
    let loop = TraceLoop(watchedFrom: 1.s, grid: DueGrid(first: 1_100.ms, interval: 100.ms), ticksFrom: 2.s)
    loop.region.setDriftModes([TraceMode.default.rawValue])
    loop.entry()
    for _ in 0..<3 {
      loop.beforeTimers(in: .default)
      loop.beforeSources(in: .default)
      loop.beforeWaiting(in: .default)
      loop.afterWaiting(300.ms)
    }
    #expect(loop.region.ticks.pop() == nil)
    #expect(loop.region.tickDue == 2_100.ms)
  }

  @Test("serves none before it is due")
  func early() {
    loop.entry()
    wait()
    loop.afterWaiting(99.ms)
    wait()
    #expect(ticks.isEmpty)
    #expect(loop.region.tickDue == 1_100.ms)
  }

  @Test("serves a tick late after a callout that it fell into, and none for those that came due meanwhile")
  func held() {
    loop.entry()
    wait()
    loop.afterWaiting(50.ms)
    loop.beforeTimers(300.ms)
    wait()
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_350.ms, inOtherModes: 0)])
    #expect(loop.region.tickDue == 1_400.ms)
  }

  @Test("serves before it waits a tick that came due since it began to turn")
  func beforeWaiting() {
    loop.entry(95.ms)
    loop.beforeTimers()
    loop.beforeSources()
    loop.beforeWaiting(10.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_105.ms, inOtherModes: 0)])
  }

  @Test("serves none in a mode that the probe is not in, and reports how long it was there")
  func otherMode() {
    loop.entry()
    wait()
    loop.afterWaiting(80.ms)
    loop.entry(in: .modal)
    for _ in 0..<5 {
      wait(.modal)
      loop.afterWaiting(100.ms, in: .modal)
    }
    #expect(ticks.isEmpty)
    loop.exit(in: .modal)
    loop.beforeTimers(20.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_600.ms, inOtherModes: 480.ms)])
    #expect(loop.region.tickDue == 1_700.ms)
  }

  @Test("serves in a nested run of a mode that the probe is in")
  func nested() {
    loop.entry()
    wait()
    loop.afterWaiting(80.ms)
    loop.entry(in: .tracking)
    wait(.tracking)
    loop.afterWaiting(20.ms, in: .tracking)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_100.ms, inOtherModes: 0)])
  }

  @Test("serves at the next entry what came due while it was outside any run for less than an interval")
  func shortlyOutside() {
    loop.entry()
    wait()
    loop.afterWaiting(80.ms)
    loop.exit()
    loop.entry(60.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_140.ms, inOtherModes: 0)])
  }

  @Test("serves at the end of its run what came due in it, however long it is outside from then on")
  func endOfRun() {
    loop.entry()
    wait()
    loop.afterWaiting(50.ms)
    loop.exit(300.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_350.ms, inOtherModes: 0)])
    #expect(loop.region.tickDue == 1_400.ms)
    loop.entry(10.s)
    #expect(ticks == [ServedTick(dueNs: 11_400.ms, servedNs: nil, inOtherModes: 0)])
  }

  @Test("serves at the end of a short run what came due in it")
  func endOfShortRun() {
    loop.entry(95.ms)
    loop.exit(10.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_105.ms, inOtherModes: 0)])
    loop.entry(1.ms)
    loop.exit(1.ms)
    #expect(ticks.isEmpty)
  }

  @Test("serves none at the end of a run in a mode that the probe is not in, nor of a nested run")
  func endOfOtherRun() {
    loop.entry(in: .modal)
    loop.exit(150.ms, in: .modal)
    #expect(ticks.isEmpty)
    loop.entry(10.ms)
    #expect(ticks == [ServedTick(dueNs: 1_100.ms, servedNs: 1_160.ms, inOtherModes: 50.ms)])
    wait()
    loop.afterWaiting(1.ms)
    loop.entry(in: .tracking)
    loop.exit(150.ms, in: .tracking)
    #expect(ticks.isEmpty)
    loop.exit()
    #expect(ticks == [ServedTick(dueNs: 1_200.ms, servedNs: 1_311.ms, inOtherModes: 0)])
  }

  @Test("leaves out what came due while it was outside any run for longer")
  func longOutside() {
    loop.entry()
    wait()
    loop.afterWaiting(80.ms)
    loop.exit()
    loop.entry(3_600.s)
    wait()
    #expect(ticks == [ServedTick(dueNs: loop.now + 20.ms, servedNs: nil, inOtherModes: 0)])
    #expect(loop.region.tickDue == loop.now + 20.ms)
  }

  @Test("leaves out what came due before its first run")
  func beforeFirstRun() {
    loop.entry(450.ms)
    wait()
    #expect(ticks == [ServedTick(dueNs: 1_500.ms, servedNs: nil, inOtherModes: 0)])
  }

  @Test("has no ticks with the probe off")
  func off() {
    let loop = TraceLoop()
    loop.region.setDriftModes([0])
    loop.entry()
    loop.beforeTimers(10.s)
    #expect(loop.region.ticks.pop() == nil)
    #expect(loop.region.tickDue == .max)
  }

  @Test("counts ticks that nobody took as lost, and keeps the oldest")
  func overflow() {
    loop.entry()
    for _ in 0...SharedQueue<ServedTick>.capacity { loop.beforeTimers(100.ms) }
    #expect(loop.region.ticks.lost == 1)
    #expect(loop.region.ticks.pop()?.dueNs == 1_100.ms)
    loop.region.clear()
    #expect(loop.region.ticks.pop() == nil)
    #expect(loop.region.ticks.lost == 0)
    #expect(loop.region.tickDue == .max)
  }
}
