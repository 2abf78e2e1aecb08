import StallwatchCore

/// A piece of what runs on watched threads, whose instructions are counted.
struct Measured: Sendable {
  /// The name in the file of counts.
  var name: String
  /// Runs it so many times.
  var run: @Sendable (Int) -> Void

  static let all = [
    Measured(name: "fold-blocking") { ScriptedLoop(grid: nil).turn($0, .blocking) },
    Measured(name: "fold-blocking-with-ticks") {
      ScriptedLoop(grid: DueGrid(first: 1_000_000, interval: 10_000_000)).turn($0, .blocking)
    },
    Measured(name: "fold-polling") { ScriptedLoop(grid: nil).turn($0, .polling) },
    Measured(name: "timer-callout") { ScriptedTimer().fire($0) },
    Measured(name: "convert-counter") { ScriptedClock().read($0) },
  ]
}
