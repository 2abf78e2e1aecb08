import Foundation

extension Scenario {
  /// An asynchronous test: it waits in the run loop, and a beforeWaiting observer stops the loop once the awaited has
  /// happened.
  static let stoppingObserver = Scenario(
    "stopping-observer",
    expecting: Expectation(
      modes: [ExpectedMode(ModeName.standard, of: "main", entries: 3)],
      stalls: [ExpectedStall("slow-callback", on: "main", mode: ModeName.standard, phase: "service")])
  ) { stage in
    let main = Loop.current
    nonisolated(unsafe) var isFulfilled = false
    main.beforeWaiting(order: 0, in: ModeName.standard) {
      if isFulfilled { main.stop() }
    }
    func wait(for what: String) {
      let result = Loop.run(ModeName.standard)
      stage.check(result == .stopped && isFulfilled, "waiting for \(what) ended with \(result.rawValue)")
      isFulfilled = false
    }

    main.after(milliseconds: 60, in: ModeName.standard) { isFulfilled = true }
    wait(for: "a timer")

    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(60)) {
      DispatchQueue.main.async { isFulfilled = true }
    }
    wait(for: "the main queue")

    main.after(milliseconds: 60, in: ModeName.standard) {
      stage.hold("slow-callback", milliseconds: 150)
      isFulfilled = true
    }
    wait(for: "a slow callback")
  }
}
