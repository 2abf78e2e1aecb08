import CoreFoundation
import Foundation

extension Scenario {
  /// Idle-time work cut into slices by a beforeWaiting observer: the loop is busy for long, and never held up.
  static let slicedIdleWork = Scenario(
    "sliced-idle-work",
    expecting: Expectation(modes: [ExpectedMode(ModeName.standard, of: "main", entries: 1)])
  ) { stage in
    let main = Loop.current
    var slices = 80
    var fires = 0
    let ticking = main.every(milliseconds: 10, in: ModeName.standard) { fires += 1 }
    main.beforeWaiting(order: 0, in: ModeName.standard) {
      guard slices > 0 else { return main.stop() }
      slices -= 1
      stage.doze(milliseconds: 3)
      // The loop does not fall asleep: the next slice comes after whatever else is ready.
      main.wakeUp()
    }
    Loop.run(ModeName.standard)
    CFRunLoopTimerInvalidate(ticking)
    stage.check(slices == 0, "\(slices) slices were left over")
    stage.check(fires >= 5, "only \(fires) timer fires came between 80 slices")
  }
}
