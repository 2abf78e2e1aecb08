import CoreFoundation
import Foundation

/// Timers that run beside the plan. Each counts its own fires.
extension LoopDriver {
  /// The shortest and the longest interval, in seconds.
  private static let intervals = (shortest: 0.005, longest: 2.0)
  /// How long to run a mode for its timers to end by themselves, in seconds.
  private static let patience = 2.5

  /// Makes the loop's share of the timers: every `loops`-th one, starting with `number`.
  func makeTimers(_ options: Options, number: Int, of loops: Int) {
    var generator = SeededGenerator(seed: options.seed &+ UInt64(number) &* 7_919)
    for place in stride(from: number - 1, to: options.timers, by: loops) {
      let share = Double(generator.next() % 10_000) / 10_000
      let spread = log(Self.intervals.longest / Self.intervals.shortest)
      // No two timers have the same interval, so the interval identifies a timer in the store.
      let step = Double(options.timers)
      let microseconds =
        (Self.intervals.shortest * exp(spread * share) * 1e6 / step).rounded(.up) * step + Double(place)
      let making = CountedTimer.Making.allCases[place % CountedTimer.Making.allCases.count]
      let modes = timerModes(place, options)
      for mode in modes where mode != ModeName.commonModes { prepare(mode) }
      let timer = CountedTimer(name: "timer-\(place + 1)", every: microseconds / 1e6, modes: modes, making: making)
      timer.add(to: loop, modeName: modeName)
      timers.append(timer)
    }
  }

  private func timerModes(_ place: Int, _ options: Options) -> [String] {
    switch place % 5 {
    case 1: [ModeName.commonModes]
    case 2: [ModeName.tracking]
    case 3 where options.modes > 0: [ModeName.privateMode(1 + place % options.modes)]
    case 4: [ModeName.standard, ModeName.tracking]
    default: [ModeName.standard]
    }
  }

  /// Runs the loop until `moment`, switching between modes.
  func runTimers(until moment: Nanoseconds) {
    let modes = timers.flatMap(\.modes).filter { $0 != ModeName.commonModes } + [ModeName.standard]
    var turn = 0
    while MonotonicClock.now < moment {
      let rest = Double(moment - MonotonicClock.now) / 1e9
      // Every second turn is in the default mode; the other turns go through all modes.
      let mode = turn.isMultiple(of: 2) ? ModeName.standard : modes[turn / 2 % modes.count]
      turn += 1
      runTimers(in: mode, for: min(rest, 0.15))
    }
  }

  /// Lets every timer end, and writes its counts.
  func endTimers() {
    for timer in timers { timer.isToEnd = true }
    for mode in Set(timers.flatMap(\.modes)).sorted() {
      let own = timers.filter { $0.modes.contains(mode) }
      let end = MonotonicClock.now + Nanoseconds(Self.patience * 1e9)
      while own.contains(where: { !$0.hasEnded }), MonotonicClock.now < end {
        runTimers(in: mode == ModeName.commonModes ? ModeName.standard : mode, for: 0.02)
      }
    }
    for timer in timers {
      timer.endWhenAway()
      truth.append(line(of: timer))
    }
  }

  private func runTimers(in mode: String, for seconds: Double) {
    prepare(mode)
    CFRunLoopRunInMode(modeName(mode), seconds, false)
  }

  private func line(of timer: CountedTimer) -> TruthLine {
    var line = TruthLine(.timer)
    line.name = timer.name
    line.loop = plan.name
    line.threadID = thread.id
    line.modes = timer.modes
    line.intervalNs = timer.interval
    line.due = timer.due
    line.fired = timer.fired
    line.dropped = timer.due - timer.fired
    line.firstDueNs = timer.firstDueNs
    return line
  }
}
