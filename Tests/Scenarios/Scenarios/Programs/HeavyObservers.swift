import Foundation

extension Scenario {
  /// The orders of the observers that hold the loop: before and after what others do, and as late as the transaction
  /// commits of Apple's Core Animation (2,000,000), or later.
  private static let orders = [-1_000, 0, 2_000_000, Int.max - 1]
  /// The last order there is. Added during the run (to the common modes, while CF holds its lock on the loop), and so after
  /// the monitor's own, an observer of that order comes after it, unless hooks tell the monitor, which then moves its own behind. Without hooks the monitor takes the loop to wait
  /// already: it cannot see the hold.
  private static let lastOrder = Int.max

  /// Heavy work in observers at beforeWaiting, of any order: it delays the wait, so it belongs to the span before.
  static let heavyObservers = Scenario(
    "heavy-observers",
    expecting: Expectation(
      modes: [ExpectedMode(ModeName.standard, of: "main", entries: 1)],
      stalls: (orders + [lastOrder]).map {
        ExpectedStall(
          "order \($0)", on: "main", mode: ModeName.standard, phase: "sources", needsHooks: $0 == lastOrder)
      })
  ) { stage in
    let main = Loop.current
    var turn: Int?
    func takeTurn(_ order: Int) {
      main.after(milliseconds: 40, in: ModeName.standard) { turn = order }
    }
    func addObserver(order: Int, in mode: String, then next: @escaping () -> Void) {
      main.beforeWaiting(order: order, in: mode) {
        guard turn == order else { return }
        turn = nil
        stage.hold("order \(order)", milliseconds: 120)
        next()
      }
    }
    for (order, next) in zip(orders, orders.dropFirst()) {
      addObserver(order: order, in: ModeName.standard) { takeTurn(next) }
    }
    addObserver(order: orders.last!, in: ModeName.standard) {
      addObserver(order: lastOrder, in: "kCFRunLoopCommonModes") {
        main.after(milliseconds: 40, in: ModeName.standard) { main.stop() }
      }
      takeTurn(lastOrder)
    }
    takeTurn(orders[0])
    let result = Loop.run(ModeName.standard)
    stage.check(result == .stopped, "the main loop's run ended with \(result.rawValue), not because it was stopped")
  }
}
