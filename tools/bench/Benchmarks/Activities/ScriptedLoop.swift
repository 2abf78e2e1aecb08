import Benchmark
import StallwatchCore

/// A loop that turns as a script says, without CoreFoundation, a thread or a clock: what remains is the folding.
final class ScriptedLoop {
  enum Kind {
    case blocking, polling

    var activities: [Activity] {
      switch self {
      case .blocking: [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting]
      case .polling: [.entry, .beforeTimers, .beforeSources, .exit]
      }
    }
  }

  private let memory: [UnsafeMutableRawPointer]
  private let counters: ModeCounters
  private let fold: UnsafeMutablePointer<LoopFold>
  private var now: Nanoseconds = 1_000_000
  private var isEntered = false

  init(grid: DueGrid?) {
    memory = [LoopBoard.byteCount, SpellQueue.byteCount, LoopFold.stackByteCount, ModeCounters.byteCount].map { count in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
      return memory
    }
    counters = ModeCounters(index: 0, memory: memory[3])
    fold = .allocate(capacity: 1)
    fold.initialize(
      to: LoopFold(
        board: LoopBoard(memory: memory[0]), queue: SpellQueue(memory: memory[1]), threshold: 50_000_000,
        startedNs: now, grid: grid, stackMemory: memory[2]))
  }

  deinit {
    fold.deinitialize(count: 1)
    fold.deallocate()
    memory.forEach { $0.deallocate() }
  }

  /// Turns so many times, with 1 to 200 µs between two activities.
  func turn(_ iterations: Int, _ kind: Kind) {
    if kind == .blocking, !isEntered { observe(.entry) }
    isEntered = kind == .blocking
    let activities = kind.activities
    for _ in 0..<iterations {
      for activity in activities { observe(activity) }
    }
  }

  @inline(__always)
  private func observe(_ activity: Activity) {
    now &+= 1_000 + (now &* 2_654_435_761 >> 7) % 200_000
    blackHole(fold.pointee.observe(activity, in: counters, at: now))
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

  func read(_ times: Int) {
    for place in 0..<UInt64(times) { blackHole(conversion.nanoseconds(at: 1_300_000_000 + place * 1_000)) }
  }
}
