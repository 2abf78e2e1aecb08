import Foundation

extension Scenario {
  /// A worker thread kept alive by a source, turning in `run(mode:before:)` forever. Each message it handles ends a
  /// run.
  static let residentWorker = Scenario(
    "resident-worker",
    expecting: Expectation(
      modes: [
        ExpectedMode(ModeName.standard, of: "main", entries: 1),
        ExpectedMode(ModeName.standard, of: "resident", entries: 21),
      ],
      stalls: [ExpectedStall("heavy-message", on: "resident", mode: ModeName.standard, phase: "sources")])
  ) { stage in
    let company = Company(stage)
    let mailbox = Handover<MessageSource>()
    company.startLoop("resident") {
      var isResident = true
      let source = MessageSource(modes: ModeName.standard) { message in
        if message == "heavy" { stage.hold("heavy-message", milliseconds: 150) }
        if message == "quit" { isResident = false }
      }
      mailbox.give(source)
      var turns = 0
      while isResident, RunLoop.current.run(mode: .default, before: .distantFuture) { turns += 1 }
      stage.check(turns == 21, "the worker turned \(turns) times for 21 messages")
      source.remove()
    }
    company.start("sender") {
      let source = mailbox.take()
      for number in 1...20 { source.sendAndWait(number == 12 ? "heavy" : "light") }
      source.sendAndWait("quit")
    }
    company.turnMain()
  }
}
