import StallwatchFleet
import StallwatchStore

/// Where `ship` sends to.
enum Destination {
  case clickHouse(ClickHouseServer)
  case collector(Collector)

  /// What a ledger knows it by.
  var name: String {
    switch self {
    case .clickHouse(let server): "\(server.address)/\(server.database)"
    case .collector(let collector): collector.address
    }
  }

  /// Delivers there the batches of a ledger.
  func delivery(of ledger: ShippingLedger, _ clock: any ShippingClock) -> any Delivery {
    switch self {
    case .clickHouse(let server): ClickHouseDelivery(server, ledger: ledger.instance, clock)
    case .collector(let collector): CollectorDelivery(collector, ledger, clock, version: Version.current)
    }
  }
}
