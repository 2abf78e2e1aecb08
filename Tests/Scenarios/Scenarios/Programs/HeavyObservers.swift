import Foundation

extension Scenario {
  /// The orders of the observers that hold the loop: before and after what others do, and as late as the transaction
  /// commits of Apple's Core Animation (2,000,000), or later.
  private static let orders = [-1_000, 0, 2_000_000, Int.max - 1]

  /// Heavy work in observers at beforeWaiting, of any order: it delays the wait, so it belongs to the span before.
  static let heavyObservers = Scenario(
    "heavy-observers",
    expecting: Expectation(
      modes: [ExpectedMode(ModeName.standard, of: "main", entries: 1)],
      stalls: orders.map {
        ExpectedStall("order \($0)", on: "main", mode: ModeName.standard, phase: "sources")
      })
  ) { stage in
    let main = Loop.current
    var turn: Int?
    func takeTurn(_ index: Int) {
      main.after(milliseconds: 40, in: ModeName.standard) {
        if index < orders.count { turn = index } else { main.stop() }
      }
    }
    for (index, order) in orders.enumerated() {
      main.beforeWaiting(order: order, in: ModeName.standard) {
        guard turn == index else { return }
        turn = nil
        stage.hold("order \(order)", milliseconds: 120)
        takeTurn(index + 1)
      }
    }
    takeTurn(0)
    let result = Loop.run(ModeName.standard)
    stage.check(result == .stopped, "the main loop's run ended with \(result.rawValue), not because it was stopped")
  }
}
