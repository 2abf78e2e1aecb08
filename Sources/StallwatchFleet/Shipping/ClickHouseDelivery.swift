import StallwatchCore
import StallwatchStore

/// Delivers batches to the tables of a ClickHouse.
package final class ClickHouseDelivery: Delivery {
  package let name: String
  private let client: ClickHouseClient
  private let clock: any ShippingClock
  /// Distinguishes this ledger's batches from those of others.
  private let ledger: String

  /// - Parameter ledger: A name that no other ledger has.
  package init(_ server: ClickHouseServer, ledger: String, _ clock: any ShippingClock) {
    (name, client, self.ledger, self.clock) = (server.address, ClickHouseClient(server), ledger, clock)
  }

  package func deliver(_ batch: SpooledBatch) -> DeliveryOutcome {
    AwaitedAnswer.outcome(clock, name) { [client, ledger] in
      do {
        try await client.insert(
          table: batch.table, columns: batch.columns, rows: batch.body, isPacked: true, batch: "\(ledger)-\(batch.id)")
        return .taken
      } catch let error as ClickHouseError {
        return Self.outcome(of: error)
      }
    }
  }

  private static func outcome(of error: ClickHouseError) -> DeliveryOutcome {
    if error.needsMending { return .notUntilMended("\(error)") }
    return error.isWorthRetrying ? .notNow("\(error)") : .never("\(error)")
  }
}
