import StallwatchCore

/// A loop that turns as a script says, without CoreFoundation, a thread or a clock: what remains is the folding.
final class ScriptedLoop {
  enum Kind {
    case blocking, polling, source0

    var activities: [Activity] {
      switch self {
      case .blocking: [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting]
      case .polling: [.entry, .beforeTimers, .beforeSources, .exit]
      case .source0: [.beforeTimers, .beforeSources]
      }
    }
  }

  private let memory: [UnsafeMutableRawPointer]
  private let counters: ModeCounters
  private let fold: UnsafeMutablePointer<LoopFold>
  private var now: Nanoseconds = 1_000_000
  private var isEntered = false
  /// How often a watchdog would have been woken. Kept, so that nothing is optimised away.
  private(set) var woken = 0

  init(grid: DueGrid?) {
    memory = [LoopRegion.byteCount, LoopFold.stackByteCount, ModeCounters.byteCount].map { count in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return memory
    }
    counters = ModeCounters(index: 0, memory: memory[2])
    fold = .allocate(capacity: 1)
    let region = LoopRegion(memory: memory[0])
    region.attend(from: .max)
    fold.initialize(
      to: LoopFold(region: region, threshold: 50_000_000, startedNs: now, grid: grid, stackMemory: memory[1]))
    guard let grid else { return }
    region.setDriftModes([0])
    region.beginTicks(of: grid, after: now)
  }

  deinit {
    fold.deinitialize(count: 1)
    fold.deallocate()
    memory.forEach { $0.deallocate() }
  }

  /// Turns so many times, with 1 to 200 µs between two activities.
  func turn(_ iterations: Int, _ kind: Kind) {
    if kind != .polling, !isEntered { observe(.entry) }
    isEntered = kind != .polling
    let activities = kind.activities
    for _ in 0..<iterations {
      for activity in activities { observe(activity) }
    }
  }

  @inline(__always)
  private func observe(_ activity: Activity) {
    now &+= 1_000 + (now &* 2_654_435_761 >> 7) % 200_000
    if fold.pointee.take(in: counters, at: now, activity) == .woke { woken &+= 1 }
  }
}

/// A counter clock whose counter is a number.
final class ScriptedClock {
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: CounterConversion.byteCount, alignment: 64)
  private let conversion: CounterConversion

  init() {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: CounterConversion.byteCount)
    conversion = CounterConversion(memory: memory)
    var calibration = CounterCalibration()
    for place in 0..<3 as Range<UInt64> {
      conversion.set(
        calibration.add(CounterPair(counter: place * 650_000_000, ns: 1_000_000 + place * 250_000_000)))
    }
  }

  deinit { memory.deallocate() }

  /// Reads so many times; returns the sum, so that nothing is optimised away.
  @discardableResult
  @inline(never)
  func read(_ times: Int) -> Nanoseconds {
    (0..<UInt64(times)).reduce(0) { $0 &+ (conversion.nanoseconds(at: 1_300_000_000 + $1 * 1_000) ?? 0) }
  }
}

/// A repeating timer of a scripted loop, always on time by less than its interval.
final class ScriptedTimer {
  private let memory: [UnsafeMutableRawPointer]
  private var due: Nanoseconds = 1_000_000

  init() {
    memory = [TimerCounters.byteCount, LoopRegion.byteCount].map { count in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return memory
    }
    TimerCounters(memory: memory[0]).arm(due: due, interval: Self.interval)
  }

  /// As a timer's slot makes it, at each callout.
  private var fold: TimerFold {
    TimerFold(
      counters: TimerCounters(memory: memory[0]), slot: 0, region: LoopRegion(memory: memory[1]),
      threshold: 50_000_000)
  }

  deinit { memory.forEach { $0.deallocate() } }

  private static let interval: Nanoseconds = 10_000_000

  /// Fires so many times, late by up to 200 µs, in callouts of 5 µs.
  func fire(_ times: Int) {
    for _ in 0..<times {
      let now = due &+ (due &* 2_654_435_761 >> 7) % 200_000
      fold.begin(due: due, interval: Self.interval, at: now)
      fold.end(at: now &+ 5_000)
      due &+= Self.interval
    }
  }
}
