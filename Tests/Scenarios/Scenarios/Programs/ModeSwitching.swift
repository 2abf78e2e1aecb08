import Foundation

extension Scenario {
  /// A secondary thread that switches between the default and a tracking mode as messages arrive, with a timer in the
  /// tracking mode alone.
  static let modeSwitching = Scenario(
    "mode-switching",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 1),
        ExpectedMode(ModeName.standard, of: "tracker", entries: 3),
        ExpectedMode(ModeName.tracking, of: "tracker", entries: 2),
      ],
      stalls: [ExpectedStall("tracking-timer", on: "tracker", mode: ModeName.tracking, phase: "service")])
  ) { stage in
    let company = Company(stage)
    let mailbox = Handover<MessageSource>()
    let held = Handover<Void>()
    company.startLoop("tracker") {
      var mode: String? = ModeName.standard
      var periods = 0
      var fires = 0
      let source = MessageSource(modes: ModeName.standard, ModeName.tracking) { message in
        switch message {
        case "track":
          mode = ModeName.tracking
          periods += 1
          fires = 0
        case "untrack": mode = ModeName.standard
        default: mode = nil
        }
      }
      Loop.current.every(milliseconds: 10, in: ModeName.tracking) {
        stage.check(currentModeName() == ModeName.tracking, "the tracking timer fired in \(currentModeName())")
        fires += 1
        guard periods == 2, fires == 8 else { return }
        stage.hold("tracking-timer", milliseconds: 150)
        held.give(())
      }
      mailbox.give(source)
      while let current = mode, RunLoop.current.run(mode: RunLoop.Mode(current), before: .distantFuture) {}
      stage.check(fires >= 8, "the tracking timer fired only \(fires) times")
      source.remove()
    }
    company.start("sender") {
      let source = mailbox.take()
      source.sendAndWait("track", restMilliseconds: 100)
      source.sendAndWait("untrack", restMilliseconds: 60)
      source.sendAndWait("track")
      held.take()
      pause(milliseconds: 30)
      source.sendAndWait("untrack")
      source.sendAndWait("quit")
    }
    company.turnMain()
  }
}

extension RunLoop.Mode {
  fileprivate init(_ name: String) { self = name == ModeName.standard ? .default : RunLoop.Mode(rawValue: name) }
}
