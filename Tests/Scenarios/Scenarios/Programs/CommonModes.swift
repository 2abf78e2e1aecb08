import CoreFoundation
import Foundation

extension Scenario {
  /// One timer in two modes, another in the common modes, and a mode that is made common late.
  static let commonModes = Scenario(
    "common-modes",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 1),
        ExpectedMode(ModeName.modal, of: "main", entries: 1),
        ExpectedMode(ModeName.tracking, of: "main", entries: 1),
      ],
      stalls: [
        ExpectedStall("timer-of-two-modes", on: "main", mode: ModeName.modal, phase: "service"),
        ExpectedStall("common-timer", on: "main", mode: ModeName.tracking, phase: "service"),
      ])
  ) { stage in
    let main = Loop.current
    var sharedFires: [String: Int] = [:]
    var commonFires: [String: Int] = [:]
    main.every(milliseconds: 10, in: ModeName.standard, ModeName.modal) {
      let mode = currentModeName()
      sharedFires[mode, default: 0] += 1
      guard mode == ModeName.modal, sharedFires[mode] == 12 else { return }
      stage.hold("timer-of-two-modes", milliseconds: 120)
      main.after(milliseconds: 20, in: mode) { main.stop() }
    }
    main.every(milliseconds: 10, in: "kCFRunLoopCommonModes") {
      let mode = currentModeName()
      commonFires[mode, default: 0] += 1
      guard mode == ModeName.tracking, commonFires[mode] == 12 else { return }
      stage.hold("common-timer", milliseconds: 150)
      main.after(milliseconds: 20, in: mode) { main.stop() }
    }

    Loop.run(ModeName.standard, seconds: 0.1)
    Loop.run(ModeName.modal)
    CFRunLoopAddCommonMode(main.loop, cfMode(ModeName.tracking))
    Loop.run(ModeName.tracking)

    let shared = Set(sharedFires.keys)
    let common = Set(commonFires.keys)
    stage.check(shared == [ModeName.standard, ModeName.modal], "the timer of two modes fired in \(shared)")
    stage.check(common == [ModeName.standard, ModeName.tracking], "the common timer fired in \(common)")
  }
}
