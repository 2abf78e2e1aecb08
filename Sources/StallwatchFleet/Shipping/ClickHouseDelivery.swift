import Dispatch
import StallwatchCore
import StallwatchStore
import Synchronization

/// Delivers batches to the tables of a ClickHouse.
package final class ClickHouseDelivery: Delivery {
  package let name: String
  private let client: ClickHouseClient
  private let clock: any ShippingClock
  /// Tells this ledger's batches from others'.
  private let ledger: String
  /// How long a batch may still take once somebody asked to stop: less than what service managers give.
  private static let lastPatience = 8 * Nanoseconds.second
  /// How often that is asked for.
  private static let look = DispatchTimeInterval.milliseconds(200)

  /// - Parameter ledger: A name that no other ledger has.
  package init(_ server: ClickHouseServer, ledger: String, _ clock: any ShippingClock) {
    (name, client, self.ledger, self.clock) = (server.address, ClickHouseClient(server), ledger, clock)
  }

  /// What a task hands to the thread that waits for it.
  private final class Answer: Sendable {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex(DeliveryOutcome.notNow("not sent"))
  }

  package func deliver(_ batch: SpooledBatch) -> DeliveryOutcome {
    let answer = Answer()
    let (client, name, token) = (client, name, "\(ledger)-\(batch.id)")
    let sending: @Sendable () async -> Void = { await Self.send(batch, token, to: client, name, answer) }
    let task = Task(operation: sending)
    var stopped: Nanoseconds?
    while answer.done.wait(timeout: .now() + Self.look) == .timedOut {
      guard clock.isStopped else { continue }
      stopped = stopped ?? clock.now
      if let stopped, clock.now.since(stopped) > Self.lastPatience { task.cancel() }
    }
    return answer.outcome.withLock { $0 }
  }

  private static func send(
    _ batch: SpooledBatch, _ token: String, to client: ClickHouseClient, _ name: String, _ answer: Answer
  ) async {
    let outcome: DeliveryOutcome
    do {
      try await client.insert(
        table: batch.table, columns: batch.columns, rows: batch.body, isPacked: true, batch: token)
      outcome = .taken
    } catch {
      outcome = self.outcome(of: error, name)
    }
    answer.outcome.withLock { $0 = outcome }
    answer.done.signal()
  }

  private static func outcome(of error: any Error, _ name: String) -> DeliveryOutcome {
    switch error {
    case let error as ClickHouseError where error.needsMending: .notUntilMended("\(error)")
    case let error as ClickHouseError where error.isWorthRetrying: .notNow("\(error)")
    case let error as ClickHouseError: .never("\(error)")
    case is CancellationError: .notNow("\(name): did not answer before the end")
    default: .notNow("\(name): \(error)")
    }
  }
}
