import StallwatchCore

/// A piece of what runs on watched threads, whose instructions are counted.
struct Measured {
  /// The name in the file of counts.
  var name: String
  /// Runs it so many times.
  var run: (Int) -> Void

  /// Loops and timers have turned and fired before they are measured: the first duration in a group of counters takes
  /// the group, and a new longest one is noted, which soon comes to an end.
  private static let warmUp = 20_000

  private static func loop(_ name: String, _ kind: ScriptedLoop.Kind, grid: DueGrid? = nil) -> Measured {
    let loop = ScriptedLoop(grid: grid)
    loop.turn(warmUp, kind)
    return Measured(name: name) { loop.turn($0, kind) }
  }

  private static var timer: Measured {
    let timer = ScriptedTimer()
    timer.fire(warmUp)
    return Measured(name: "timer-callout") { timer.fire($0) }
  }

  static var all: [Measured] {
    [
      loop("fold-blocking", .blocking),
      loop("fold-blocking-with-ticks", .blocking, grid: DueGrid(first: 1_000_000, interval: 10_000_000)),
      loop("fold-polling", .polling), loop("fold-source0", .source0), timer,
      Measured(name: "convert-counter") { ScriptedClock().read($0) },
    ]
  }
}
