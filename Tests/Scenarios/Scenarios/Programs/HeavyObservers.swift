import Foundation

extension Scenario {
  /// The last order there is. An observer of that order that is added after the monitor's own comes after it, unless hooks
  /// tell the monitor, which then moves its own behind. Without hooks the monitor takes the loop to wait already: it
  /// cannot see such a hold.
  private static let lastOrder = Int.max
  /// The orders of the observers that hold the loop: before and after what others do, and as late as the transaction
  /// commits of Apple's Core Animation (2,000,000), or later.
  private static let orders = [-1_000, 0, 2_000_000, lastOrder - 1, lastOrder]
  /// The hold of one more observer of the last order, added during the run, and to the common modes: then CF holds its lock
  /// on the loop while the hooks call the monitor.
  private static let late = "last order, added late"

  /// Heavy work in observers at beforeWaiting, of any order: it delays the wait, so it belongs to the span before.
  static let heavyObservers = Scenario(
    "heavy-observers",
    expecting: Expectation(
      modes: [ExpectedMode(ModeName.standard, of: "main", entries: 1)],
      stalls: orders.map { stall("order \($0)", needsHooks: $0 == lastOrder) } + [stall(late, needsHooks: true)])
  ) { stage in
    let main = Loop.current
    var turn: String?
    func take(_ name: String) { main.after(milliseconds: 40, in: ModeName.standard) { turn = name } }
    func addObserver(_ name: String, order: Int, in mode: String, then next: @escaping () -> Void) {
      main.beforeWaiting(order: order, in: mode) {
        guard turn == name else { return }
        turn = nil
        stage.hold(name, milliseconds: 120)
        next()
      }
    }
    for (order, next) in zip(orders, orders.dropFirst()) {
      addObserver("order \(order)", order: order, in: ModeName.standard) { take("order \(next)") }
    }
    addObserver("order \(lastOrder)", order: lastOrder, in: ModeName.standard) {
      addObserver(late, order: lastOrder, in: "kCFRunLoopCommonModes") {
        main.after(milliseconds: 40, in: ModeName.standard) { main.stop() }
      }
      take(late)
    }
    take("order \(orders[0])")
    let result = Loop.run(ModeName.standard)
    stage.check(result == .stopped, "the main loop's run ended with \(result.rawValue), not because it was stopped")
  }

  private static func stall(_ hold: String, needsHooks: Bool) -> ExpectedStall {
    ExpectedStall(hold, on: "main", mode: ModeName.standard, phase: "sources", needsHooks: needsHooks)
  }
}
