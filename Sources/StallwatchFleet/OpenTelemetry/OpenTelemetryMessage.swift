import StallwatchFormats
import StallwatchStore

/// The bodies of requests to an OpenTelemetry collector, as protobuf over HTTP: `POST /v1/metrics` and `POST /v1/logs`
/// with the content type `application/x-protobuf` (opentelemetry.io, "OTLP Specification"; field numbers from
/// opentelemetry-proto 1.x).
package enum OpenTelemetryMessage {
  /// The AggregationTemporality of deltas: a point holds what was added since its start time.
  private static let delta: UInt64 = 1

  /// The figures of lanes, as deltas.
  package static func metrics(_ growths: [ActivityGrowth], version: String) -> [UInt8] {
    var request = ProtobufWriter()
    for (origin, growths) in grouped(growths, by: \.row.origin) {
      request.message(field: 1) { metrics in
        metrics.message(field: 1) { put(origin, into: &$0) }
        metrics.message(field: 2) { scope in
          put(scopeVersion: version, into: &scope)
          for counter in Counter.all { put(counter, of: growths, into: &scope) }
          put(
            spans: growths, \.spans, name: "stallwatch.lane.span",
            description: "How long the lane served one turn or item without a pause.", into: &scope)
          put(
            spans: growths, \.delays, name: "stallwatch.lane.delay",
            description: "How long items waited before the lane served them.", into: &scope)
        }
      }
    }
    return request.bytes
  }

  /// Stalls as log records, one each.
  package static func logs(_ stalls: [StallRecord], version: String) -> [UInt8] {
    var request = ProtobufWriter()
    for (origin, stalls) in grouped(stalls, by: \.row.origin) {
      request.message(field: 1) { logs in
        logs.message(field: 1) { put(origin, into: &$0) }
        logs.message(field: 2) { scope in
          put(scopeVersion: version, into: &scope)
          for stall in stalls { scope.message(field: 2) { stall.put(into: &$0) } }
        }
      }
    }
    return request.bytes
  }

  /// Groups in the order of their first elements, so that the same rows make the same request.
  private static func grouped<Element>(
    _ elements: [Element], by origin: KeyPath<Element, RowOrigin>
  ) -> [(RowOrigin, [Element])] {
    var (order, groups): ([RowOrigin], [RowOrigin: [Element]]) = ([], [:])
    for element in elements {
      if groups[element[keyPath: origin]] == nil { order.append(element[keyPath: origin]) }
      groups[element[keyPath: origin], default: []].append(element)
    }
    return order.map { ($0, groups[$0] ?? []) }
  }

  /// The resource, by OpenTelemetry's semantic conventions.
  private static func put(_ origin: RowOrigin, into resource: inout ProtobufWriter) {
    resource.attribute("service.name", origin.service)
    resource.attribute("service.version", origin.release)
    if !origin.environment.isEmpty { resource.attribute("deployment.environment.name", origin.environment) }
    resource.attribute("service.instance.id", origin.instance)
    resource.attribute("stallwatch.session", String(origin.session, radix: 16))
  }

  private static func put(scopeVersion version: String, into scope: inout ProtobufWriter) {
    scope.message(field: 1) {
      $0.text("stallwatch", field: 1)
      $0.text(version, field: 2)
    }
  }

  /// A number that only grows.
  private struct Counter: Sendable {
    var name: String
    var unit: String
    var description: String
    var seconds: (@Sendable (ActivityGrowth) -> Double)?
    var count: (@Sendable (ActivityGrowth) -> UInt64)?

    static let all = [
      Counter(
        name: "stallwatch.lane.watched", unit: "s", description: "For how long the lane was watched.",
        seconds: { ExponentialHistogram.seconds($0.watched) }),
      Counter(
        name: "stallwatch.lane.busy", unit: "s", description: "For how long the lane was busy.",
        seconds: { ExponentialHistogram.seconds($0.busy) }),
      Counter(
        name: "stallwatch.lane.iterations", unit: "{iteration}", description: "Turns of the lane's loop, or items.",
        count: { $0.iterations }),
      Counter(
        name: "stallwatch.lane.stalls", unit: "{stall}", description: "Stalls that began and are over.",
        count: { $0.stalls }),
      Counter(
        name: "stallwatch.lane.hangs", unit: "{stall}", description: "Those of at least 250 ms.",
        count: { $0.hangs }),
      Counter(
        name: "stallwatch.lane.stalled", unit: "s", description: "For how long stalls held the lane.",
        seconds: { ExponentialHistogram.seconds($0.stalled) }),
    ]
  }

  private static func put(_ counter: Counter, of growths: [ActivityGrowth], into scope: inout ProtobufWriter) {
    scope.message(field: 2) { metric in
      put(name: counter.name, counter.description, unit: counter.unit, into: &metric)
      metric.message(field: 7) { sum in
        for growth in growths {
          sum.message(field: 1) { point in
            point.fixed(growth.since, field: 2)
            point.fixed(growth.row.version, field: 3)
            if let seconds = counter.seconds { point.double(seconds(growth), field: 4) }
            if let count = counter.count { point.fixed(count(growth), field: 6) }
            point.lane(of: growth.row, field: 7)
          }
        }
        sum.number(delta, field: 2)
        sum.number(1, field: 3)  // monotonic
      }
    }
  }

  private static func put(
    spans growths: [ActivityGrowth], _ histogram: KeyPath<ActivityGrowth, DurationHistogram>, name: String,
    description: String, into scope: inout ProtobufWriter
  ) {
    let measured = growths.filter { $0[keyPath: histogram].totalCount > 0 }
    guard !measured.isEmpty else { return }
    scope.message(field: 2) { metric in
      put(name: name, description, unit: "s", into: &metric)
      metric.message(field: 10) { histograms in
        for growth in measured {
          histograms.message(field: 1) { point in
            point.lane(of: growth.row, field: 1)
            point.fixed(growth.since, field: 2)
            point.fixed(growth.row.version, field: 3)
            ExponentialHistogram(growth[keyPath: histogram]).put(into: &point)
          }
        }
        histograms.number(delta, field: 2)
      }
    }
  }

  private static func put(
    name: String, _ description: String, unit: String, into metric: inout ProtobufWriter
  ) {
    metric.text(name, field: 1)
    metric.text(description, field: 2)
    metric.text(unit, field: 3)
  }
}

extension ExponentialHistogram {
  fileprivate func put(into point: inout ProtobufWriter) {
    point.fixed(total, field: 4)
    point.double(sum, field: 5)
    point.zigzag(Int64(scale), field: 6)
    point.fixed(zeroCount, field: 7)
    point.message(field: 8) { buckets in
      buckets.zigzag(Int64(offset), field: 1)
      buckets.numbers(counts, field: 2)
    }
    point.double(Self.zeroThreshold, field: 14)
  }
}

extension ProtobufWriter {
  /// An attribute with a text.
  mutating func attribute(_ key: String, _ value: String, field: UInt64 = 1) {
    message(field: field) { pair in
      pair.text(key, field: 1)
      pair.message(field: 2) { $0.text(value, field: 1) }
    }
  }

  /// An attribute with a whole number.
  mutating func attribute(_ key: String, _ value: UInt64, field: UInt64 = 1) {
    message(field: field) { pair in
      pair.text(key, field: 1)
      pair.message(field: 2) { $0.chosen(min(value, UInt64(Int64.max)), field: 3) }
    }
  }

  /// An attribute with a number.
  mutating func attribute(_ key: String, _ value: Double, field: UInt64 = 1) {
    message(field: field) { pair in
      pair.text(key, field: 1)
      pair.message(field: 2) { $0.double(value, field: 4) }
    }
  }

  fileprivate mutating func lane(of row: ActivityRow, field: UInt64) {
    attribute("stallwatch.lane.name", row.laneName, field: field)
    attribute("stallwatch.lane.kind", row.laneKind, field: field)
    attribute("stallwatch.lane.number", UInt64(row.lane), field: field)
  }
}
