import CoreFoundation
import Foundation

extension Scenario {
  /// Nested runs inside a timer, a source0 and a main-queue block: each turns healthily, then is held up itself.
  static let nestedRuns = Scenario(
    "nested-runs",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 2, starvedMilliseconds: 290),
        ExpectedMode(ModeName.modal, of: "main", entries: 2),
      ],
      stalls: [
        ExpectedStall("inside-timer", on: "main", mode: ModeName.modal, depth: 2, phase: "service"),
        ExpectedStall("inside-source0", on: "main", mode: ModeName.standard, depth: 2, phase: "service"),
        ExpectedStall("inside-main-queue", on: "main", mode: ModeName.modal, depth: 2, phase: "service"),
      ])
  ) { stage in
    let main = Loop.current
    nonisolated(unsafe) var depth = 1
    @Sendable func runNested(_ mode: String, hold: String) {
      depth += 1
      let turning = main.every(milliseconds: 5, in: mode) {}
      main.after(milliseconds: 150, in: mode) {
        stage.check(depth == 2, "\(hold) at depth \(depth)")
        stage.hold(hold, milliseconds: 120)
        main.after(milliseconds: 30, in: mode) { main.stop() }
      }
      Loop.run(mode)
      CFRunLoopTimerInvalidate(turning)
      depth -= 1
    }
    let source = MessageSource(modes: ModeName.standard) { _ in
      runNested(ModeName.standard, hold: "inside-source0")
      main.after(milliseconds: 20, in: ModeName.standard) {
        DispatchQueue.main.async {
          runNested(ModeName.modal, hold: "inside-main-queue")
          main.after(milliseconds: 20, in: ModeName.standard) { main.stop() }
        }
      }
    }
    main.after(milliseconds: 20, in: ModeName.standard) {
      runNested(ModeName.modal, hold: "inside-timer")
      main.after(milliseconds: 20, in: ModeName.standard) { source.send("nest") }
    }
    let result = Loop.run(ModeName.standard)
    stage.check(result == .stopped && depth == 1, "the main loop's run ended with \(result.rawValue) at depth \(depth)")
  }
}
