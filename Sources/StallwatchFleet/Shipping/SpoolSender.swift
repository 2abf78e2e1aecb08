import StallwatchCore
import StallwatchStore

/// Sends what waits in the spool, in order, and decides what a failure means.
final class SpoolSender {
  /// How far it came.
  enum Result: Equatable {
    /// Nothing waits.
    case empty
    /// Something waits, for this reason, until the moment.
    case waiting(String, until: Nanoseconds)
    /// Somebody asked to stop, or it is time to read.
    case paused
  }

  private let ledger: ShippingLedger
  private let delivery: any Delivery
  private let configuration: ShippingConfiguration
  private let clock: any ShippingClock
  private let say: (String) -> Void
  private var pause: DeliveryPause
  /// Why there is a pause, and when it ends.
  private var waiting: (reason: String, until: Nanoseconds)?
  private var rejectionsInARow = 0
  /// Batches that the destination took and that could not be deleted, because the disk is full: they are not sent
  /// again.
  private var taken: [SpooledBatch] = []
  private var lastSaid: String?
  /// What was done.
  private(set) var summary = ShippingSummary()
  /// Whether the destination takes nothing until a person mends something.
  private(set) var needsMending = false

  init(
    _ ledger: ShippingLedger, _ delivery: any Delivery, _ configuration: ShippingConfiguration,
    _ clock: any ShippingClock, say: @escaping (String) -> Void
  ) {
    (self.ledger, self.delivery, self.configuration, self.clock) = (ledger, delivery, configuration, clock)
    self.say = say
    pause = DeliveryPause(first: configuration.firstPause, longest: configuration.longestPause)
  }

  /// How many tries failed in a row.
  var failures: Int { pause.failures }

  /// Sends until nothing waits, the destination fails, or `deadline`. Throws ``LedgerError``.
  func send(until deadline: Nanoseconds) throws -> Result {
    if let waiting {
      guard clock.now >= waiting.until else { return .waiting(waiting.reason, until: waiting.until) }
      self.waiting = nil
    }
    while !clock.isStopped {
      try removeTaken()
      guard let batch = try ledger.nextBatch(after: taken.last?.id ?? 0) else { return .empty }
      if let stop = try judge(delivery.deliver(batch), of: batch) { return stop }
      if clock.now >= deadline { break }
    }
    return .paused
  }

  private func judge(_ outcome: DeliveryOutcome, of batch: SpooledBatch) throws -> Result? {
    needsMending = false
    switch outcome {
    case .taken:
      if lastSaid != nil { say("\(delivery.name) takes batches again") }
      (lastSaid, rejectionsInARow) = (nil, 0)
      pause.reset()
      summary.batches += 1
      summary.bytes += UInt64(batch.body.count)
      summary.rows[batch.table, default: 0] += batch.rows
      taken.append(batch.withoutBody)
      return nil
    case .never(let reason):
      rejectionsInARow += 1
      guard rejectionsInARow <= configuration.mostRejections else {
        return try wait("\(delivery.name) takes none of several batches: \(reason)")
      }
      let limit = Int(Double(configuration.spoolLimit) * configuration.rejectedShare)
      try ledger.reject(batch, because: reason, keeping: limit)
      summary.rejected += 1
      say(
        "\(delivery.name) will not take a batch of \(batch.rows) rows of \(batch.table), which is set aside and tried "
          + "again at the next start: \(reason)")
      return nil
    case .notNow(let reason):
      return try wait(reason)
    case .notUntilMended(let reason):
      needsMending = true
      return try wait(reason)
    }
  }

  private func wait(_ reason: String) throws -> Result {
    if lastSaid != reason { say("\(reason); trying again") }
    lastSaid = reason
    summary.retries += 1
    try? ledger.count("batches retried")
    let until = clock.now.saturatingAdd(pause.next(chance: clock.chance))
    waiting = (reason, until)
    return .waiting(reason, until: until)
  }

  /// Deletes the batches that were taken. On a full disk, keeps them in mind: without its body, each is small.
  private func removeTaken() throws {
    while let batch = taken.first {
      do {
        try ledger.remove(batch)
      } catch {
        guard error.mayPass else { throw error }
        return
      }
      taken.removeFirst()
    }
  }
}

extension SpooledBatch {
  /// All but the rows themselves.
  fileprivate var withoutBody: SpooledBatch {
    var batch = self
    batch.body = []
    return batch
  }
}
