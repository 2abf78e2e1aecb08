import Foundation

/// What is asked for on the command line.
struct Options {
  static let usage = """
    usage: loop-cost MONITOR ITERATION [--modes N] [--threads N] [--iterations N] [--parts N] [--steps 1]
                     [--seconds S] [--store FILE]

      MONITOR    none, empty, clock, stallwatch, recording, samples, timers, drift, profile, or a technique:
                 ping, semaphore, wake-to-wait, activity-to-activity, frame-tick
      ITERATION  blocking, source0, polling: iterations in a row; idle: no iteration for S seconds;
                 busy: callouts of 2 ms every 20 ms for S seconds; turning: callouts that do nothing every 50 ms for
                 S seconds, in each mode by turns; uneven: callouts of 1 µs to 2 ms every 50 ms on every loop; start:
                 only begins and ends the monitor

    Prints one JSON object. --parts also says what an iteration cost in each of N equal parts, one after the other.
    --steps counts instructions alone, of the main loop's iterations, by stepping through them, one by one.

    example: loop-cost stallwatch blocking --modes 4 --threads 2 --store cost.stallwatch
    """

  var monitor: MonitorChoice
  var iteration: Iteration
  var modes = 1
  var threads = 1
  var iterations = 200_000
  var parts = 1
  var steps = false
  var seconds = 5.0
  var store = NSTemporaryDirectory() + "loop-cost-\(getpid()).stallwatch"

  init?(_ arguments: [String]) {
    guard arguments.count >= 2, let monitor = MonitorChoice(rawValue: arguments[0]),
      let iteration = Iteration(rawValue: arguments[1])
    else { return nil }
    self.monitor = monitor
    self.iteration = iteration
    var rest = arguments.dropFirst(2)
    while let name = rest.popFirst() {
      guard let text = rest.popFirst() else { return nil }
      switch (name, Int(text)) {
      case ("--modes", let number?) where number > 0: modes = number
      case ("--threads", let number?) where number > 0: threads = number
      case ("--iterations", let number?) where number > 0: iterations = number
      case ("--parts", let number?) where number > 0: parts = number
      case ("--steps", let number?): steps = number > 0
      case ("--seconds", _): seconds = Double(text) ?? seconds
      case ("--store", _): store = text
      default: return nil
      }
    }
  }
}

/// How a loop turns.
enum Iteration: String {
  /// Each iteration goes through the wait, and is woken by a wake-up that was asked for before it.
  case blocking
  /// Each serves a version 0 source and goes on without a wait.
  case source0
  /// Each is a run of its own, with no time to wait in.
  case polling
  case idle, busy, turning, uneven, start

  /// Activities of one iteration.
  var activities: Int {
    switch self {
    case .blocking, .polling: 4
    default: 2
    }
  }
}
