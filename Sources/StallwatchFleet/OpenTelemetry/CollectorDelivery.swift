import StallwatchCore
import StallwatchFormats
import StallwatchStore

/// Delivers batches to an OpenTelemetry collector: hours as metrics, stalls as log records. For other rows, such as
/// stacks and timers, OpenTelemetry has no form; their batches count as delivered.
package final class CollectorDelivery: Delivery {
  package let name: String
  private let collector: Collector
  private let connection = HTTPConnection()
  private let clock: any ShippingClock
  private let version: String
  private var memory: CollectorMemory

  /// The most bytes of an unpacked batch. Batches have about a megabyte, or one row.
  private static let longestBatch = 64 << 20

  /// - Parameter version: The version of the sending program, which requests contain.
  package init(_ collector: Collector, _ ledger: ShippingLedger, _ clock: any ShippingClock, version: String) {
    name = collector.address
    self.collector = collector
    self.clock = clock
    self.version = version
    memory = CollectorMemory(ledger)
  }

  package func deliver(_ batch: SpooledBatch) -> DeliveryOutcome {
    do {
      guard let request = try request(for: batch) else {
        try memory.keep(at: now)
        return .taken
      }
      let outcome = send(request)
      if outcome == .taken { try memory.keep(at: now) } else { memory.drop() }
      return outcome
    } catch is RowDecoder.Damage {
      memory.drop()
      return .never("the batch is damaged")
    } catch {
      memory.drop()
      return .notNow("\(error)")
    }
  }

  private var now: UInt32 { UInt32(clamping: clock.wall / Nanoseconds.second) }

  /// The request for a batch; nil where nothing of it is sent.
  private func request(for batch: SpooledBatch) throws -> (path: String, body: [UInt8])? {
    guard [ActivityRow.table, StallRow.table, SignatureRow.table].contains(batch.table) else { return nil }
    guard let rows = Gzip.unpacked(batch.body, limit: Self.longestBatch) else { throw RowDecoder.Damage() }
    var decoder = RowDecoder(rows)
    switch batch.table {
    case ActivityRow.table:
      let growths = try growths(&decoder)
      return growths.isEmpty ? nil : ("/v1/metrics", OpenTelemetryMessage.metrics(growths, version: version))
    case StallRow.table:
      let stalls = try stalls(&decoder)
      return stalls.isEmpty ? nil : ("/v1/logs", OpenTelemetryMessage.logs(stalls, version: version))
    default:
      while !decoder.isAtEnd { memory.note(try SignatureRow(from: &decoder)) }
      return nil
    }
  }

  private func growths(_ decoder: inout RowDecoder) throws -> [ActivityGrowth] {
    var growths: [ActivityGrowth] = []
    while !decoder.isAtEnd {
      let row = try ActivityRow(from: &decoder)
      let before = try memory.lastSent(row)
      // An older row of an hour may be sent again after a newer one.
      if let before, before.version >= row.version { continue }
      if let growth = ActivityGrowth(from: before, to: row) { growths.append(growth) }
      memory.note(row)
    }
    return growths
  }

  private func stalls(_ decoder: inout RowDecoder) throws -> [StallRecord] {
    var stalls: [StallRecord] = []
    while !decoder.isAtEnd {
      let row = try StallRow(from: &decoder)
      guard row.state != StallState.cancelled.rawValue else { continue }
      let signature =
        row.signature.isEmpty ? nil : try memory.signature(row.signature, of: row.origin.service)
      stalls.append(StallRecord(row: row, signature: signature))
    }
    return stalls
  }

  private func send(_ message: (path: String, body: [UInt8])) -> DeliveryOutcome {
    var request = HTTPRequest(
      url: collector.address + message.path, body: Gzip.packed(message.body, effort: .least))
    request.headers =
      [
        ("Content-Type", "application/x-protobuf"), ("Content-Encoding", "gzip"),
        ("User-Agent", "stallwatch/\(version)"),
      ] + collector.secretHeaders.map { ($0.name, $0.value) }
    request.patience = collector.patience
    request.certificates = collector.certificates
    request.mostBytes = 1 << 20
    return AwaitedAnswer.outcome(clock, name) { [connection, name, request] in
      do { return Self.outcome(of: try await connection.answer(to: request), name) } catch let error as HTTPError {
        return Self.outcome(of: error, name)
      }
    }
  }

  /// The meaning of an answer ("OTLP Specification", Failures): only after some of them may the request be sent again.
  private static func outcome(of answer: HTTPAnswer, _ name: String) -> DeliveryOutcome {
    let status = "\(name): answers with HTTP status \(answer.status)"
    switch answer.status {
    case 200..<300: return .taken
    case 401, 403, 407: return .notUntilMended("\(status): it asks who sends; see --password-file")
    case 404, 405: return .notUntilMended("\(status): no OpenTelemetry collector has this path")
    case 400, 413, 415, 422: return .never(status)
    default: return .notNow(status)
    }
  }

  private static func outcome(of error: HTTPError, _ name: String) -> DeliveryOutcome {
    switch error {
    case .noLibrary: .notUntilMended("this machine has no libcurl, which talks to servers; install libcurl4")
    case .unusableAddress(let reason): .notUntilMended("\(name): \(reason)")
    case .untrusted(let reason):
      .notUntilMended("\(name): is not trusted: \(reason); name a file with its certificate by --certificates")
    case .unreachable(let reason): .notNow("\(name): cannot be reached: \(reason)")
    case .tooSlow: .notNow("\(name): did not answer in time")
    case .brokenOff(let reason): .notNow("\(name): the connection broke off: \(reason)")
    case .tooLong: .notNow("\(name): sends a longer answer than a collector has")
    }
  }
}
