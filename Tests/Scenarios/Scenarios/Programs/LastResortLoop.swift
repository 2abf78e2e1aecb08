import Foundation

extension Scenario {
  /// The loop of last resort: each of the loop's modes for 1 ms in turn, many short runs instead of one long one.
  static let lastResortLoop = Scenario(
    "last-resort-loop",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 60, entriesInThreshold: 0),
        // Three runs of 1 ms each.
        ExpectedMode(ModeName.tracking, of: "main", entries: 60, entriesInThreshold: 17),
        ExpectedMode(ModeName.modal, of: "main", entries: 60, entriesInThreshold: 17),
      ],
      stalls: [ExpectedStall("modal-source", on: "main", mode: ModeName.modal, phase: "sources")])
  ) { stage in
    let modes = [ModeName.standard, ModeName.tracking, ModeName.modal]
    for mode in modes { Loop.current.every(milliseconds: 3, in: mode) {} }
    let source = MessageSource(modes: ModeName.modal) { _ in stage.hold("modal-source", milliseconds: 150) }
    for turn in 1...60 {
      if turn == 40 { source.send("hold") }
      for mode in modes {
        let result = Loop.run(mode, seconds: 0.001)
        stage.check(result == .timedOut, "turn \(turn) in \(mode) ended with \(result.rawValue), not by its timeout")
      }
    }
  }
}
