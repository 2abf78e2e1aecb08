import CoreFoundation
import Foundation

extension Scenario {
  /// A loop that ends for every reason there is (its mode is empty, it times out, is stopped, has handled a source) and
  /// starts again.
  static let endingLoop = Scenario(
    "ending-loop",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 1),
        ExpectedMode(ModeName.standard, of: "restarter", entries: 5),
      ],
      stalls: [ExpectedStall("after-restart", on: "restarter", mode: ModeName.standard, phase: "service")])
  ) { stage in
    let company = Company(stage)
    company.startLoop("restarter") {
      let loop = Loop.current
      func expect(_ wanted: CFRunLoopRunResult, _ what: String, seconds: Double = 30, untilSource: Bool = false) {
        let result = Loop.run(ModeName.standard, seconds: seconds, untilSource: untilSource)
        stage.check(result == wanted, "a loop that \(what) ended with \(result.rawValue)")
      }

      loop.after(milliseconds: 30, in: ModeName.standard) {}
      expect(.finished, "has fired its only timer")
      expect(.finished, "has nothing to wait for")

      let source = MessageSource(modes: ModeName.standard) { _ in }
      expect(.timedOut, "may run for 50 ms", seconds: 0.05)

      loop.after(milliseconds: 20, in: ModeName.standard) { loop.stop() }
      expect(.stopped, "is stopped")

      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { source.send("end") }
      expect(.handledSource, "returns after a source", untilSource: true)

      loop.after(milliseconds: 80, in: ModeName.standard) {
        stage.hold("after-restart", milliseconds: 150)
        loop.after(milliseconds: 20, in: ModeName.standard) { loop.stop() }
      }
      expect(.stopped, "is stopped after a hold")

      source.remove()
      expect(.finished, "lost its only source")
    }
    company.turnMain()
  }
}
