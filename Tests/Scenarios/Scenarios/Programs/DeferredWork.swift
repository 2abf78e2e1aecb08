import CoreFoundation
import Foundation

extension Scenario {
  /// Work queued for the default mode only, while the loop tracks: it runs late, when tracking ends. Tracking itself is
  /// healthy; the default mode starves meanwhile.
  static let deferredWork = Scenario(
    "deferred-work",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 1, starvedMilliseconds: 280),
        ExpectedMode(ModeName.tracking, of: "main", entries: 1),
      ],
      stalls: [ExpectedStall("late-work", on: "main", mode: ModeName.standard, phase: "service")])
  ) { stage in
    let main = Loop.current
    var isTracking = false
    var blockRan = false
    main.after(milliseconds: 20, in: ModeName.standard) {
      isTracking = true
      let turning = main.every(milliseconds: 5, in: ModeName.tracking) {}
      main.after(milliseconds: 20, in: ModeName.tracking) {
        CFRunLoopPerformBlock(main.loop, cfMode(ModeName.standard)) {
          stage.check(!isTracking, "a block for the default mode ran while the loop tracked")
          blockRan = true
        }
        main.after(milliseconds: 10, in: ModeName.standard) {
          stage.check(!isTracking, "a timer of the default mode fired while the loop tracked")
          stage.check(blockRan, "the block queued first did not run first")
          stage.hold("late-work", milliseconds: 120)
          main.after(milliseconds: 20, in: ModeName.standard) { main.stop() }
        }
        // Set here, where the mode runs: however late it began, it starves the default mode for so long.
        main.after(milliseconds: 290, in: ModeName.tracking) { main.stop() }
      }
      Loop.run(ModeName.tracking)
      CFRunLoopTimerInvalidate(turning)
      isTracking = false
    }
    let result = Loop.run(ModeName.standard)
    stage.check(result == .stopped, "the main loop's run ended with \(result.rawValue), not because it was stopped")
  }
}
