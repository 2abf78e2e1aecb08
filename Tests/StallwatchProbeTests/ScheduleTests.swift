import CoreFoundation
import StallwatchCore
import Testing

@testable import StallwatchProbe

/// When the watchdog wakes: no more often than what is due needs.
struct ScheduleTests {
  private static let configuration = ProbeConfiguration()
  private let registry: LoopRegistry
  private let queues: QueueWatch

  init() throws {
    let (parker, clock) = (try #require(Parker()), try #require(CounterClock()))
    let threshold = Self.configuration.threshold
    registry = try #require(LoopRegistry(configuration: Self.configuration, parker: parker, clock: clock))
    let pings = PingedLanes(clock: clock, parker: parker, threshold: threshold)
    queues = QueueWatch(nil, pings, registry: registry, threshold: threshold, at: 0)
  }

  /// A schedule that has looked at these loops at 0, and whose flushes are `interval` apart.
  private func schedule(_ loops: [WatchedLoop] = [], flushesEvery interval: Nanoseconds? = nil) -> Schedule {
    var schedule = Schedule(Self.configuration)
    schedule.begin(at: 0)
    if let interval {
      for second in 1...4 as ClosedRange<Nanoseconds> {
        schedule.pace.noteFlush(cpu: interval / 50)
        schedule.pace.endPeriod(at: second * .second, recorderCPU: 0, processCPU: 0, idle: nil)
      }
      #expect(schedule.pace.interval == interval)
    }
    schedule.planLooks(
      loops, now: 0, hasWork: true, excluding: Exclusions(), sampling: nil, drift: nil, queues: queues)
    return schedule
  }

  @Test func figuresComeAsOftenAsAskedFor() {
    let schedule = schedule()
    #expect(schedule.nextWake(now: 0, hasWork: true) == Self.configuration.flushInterval)
    #expect(schedule.nextWake(now: 0, hasWork: false) == Self.configuration.longestSleep)
  }

  @Test func figuresThatComeSeldomWaitForALookThatComesSoon() {
    let look = Self.configuration.longestSleep
    // A fifth of their interval.
    for (interval, wake) in [(look - 4 * .millisecond, look), (look - 10 * .millisecond, look - 10 * .millisecond)] {
      #expect(schedule(flushesEvery: interval).nextWake(now: 0, hasWork: true) == wake)
    }
    #expect(schedule(flushesEvery: look + .millisecond).nextWake(now: 0, hasWork: true) == look)
  }

  /// Its ticks are planned at the first look that finds it inside a run.
  @Test func aLoopOutsideAnyRunIsLookedAtAgain() throws {
    defer { registry.close() }
    let watched = try #require(registry.watch(CFRunLoopGetCurrent(), name: "outside"))
    #expect(schedule([watched]).nextTaskNs == 0)
  }

  @Test func afterARestAllIsPlannedAnew() {
    var schedule = schedule()
    #expect(schedule.nextTaskNs == .max)
    schedule.noteRest()
    #expect(schedule.nextTaskNs == 0)
  }

  @Test func aGlancePlansTheNextLookForLoopsThatTurn() {
    var schedule = schedule()
    schedule.planAfterGlance([], now: 10 * .millisecond)
    #expect(schedule.nextLookNs == 10 * .millisecond + Self.configuration.longestSleep)
  }
}
