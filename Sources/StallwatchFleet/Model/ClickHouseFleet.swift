import StallwatchCore
import StallwatchStore

/// A fleet in ClickHouse, to which `ship` sends: the same sums as ``StoreFleet`` has of the stores themselves. For threads
/// that may wait.
package struct ClickHouseFleet: FleetSource {
  private let client: ClickHouseClient

  package init(_ client: ClickHouseClient) { self.client = client }

  package var name: String { client.server.address }

  package func known() throws -> FleetNames {
    try rows(.names, FleetParameters(FleetFilter()), into: FleetNames()) { names, row in
      let service = try row.text("service")
      names.services[service, default: FleetNames.Service()].releases.insert(try row.text("release"))
      names.services[service]?.environments.insert(try row.text("environment"))
      names.services[service]?.lanes.insert(try row.text("lane"))
      names.newest = max(names.newest, try row.unsigned("newest"))
    }
  }

  package func sums(_ filter: FleetFilter, of signatures: Set<String>?) throws -> FleetSums {
    let asked = FleetParameters(filter, signatures: signatures ?? [])
    var sums = try rows(.unitLanes, asked, into: FleetSums()) { sums, row in
      let lane = FleetSums.Lane(
        unit: try FleetUnit(row), name: try row.text("lane"), kind: try row.text("kind"),
        isMain: try row.unsigned("main") != 0)
      var activity = try FleetSums.Activity(row)
      activity.spans = try DurationHistogram(row, "span")
      activity.delays = try DurationHistogram(row, "delay")
      sums.lanes[lane] = activity
    }
    if signatures?.isEmpty != true {
      sums = try rows(.unitCauses, asked, into: sums) { sums, row in
        let key = FleetSums.CauseKey(unit: try FleetUnit(row), signature: try row.text("signature"))
        sums.causes[key] = try FleetSums.Stalls(row)
      }
    }
    sums = try rows(.unitThresholds, asked, into: sums) { sums, row in
      sums.thresholds[try FleetUnit(row)] = try row.unsigned("threshold")
    }
    sums.signatures = try self.signatures(filter, Set(sums.causes.keys.map(\.signature)))
    return sums
  }

  /// What keys of signatures stand for.
  func signatures(_ filter: FleetFilter, _ keys: Set<String>) throws -> [String: SignatureRow] {
    let (asked, service) = (FleetParameters(filter, signatures: keys), filter.service ?? "")
    return try rows(.signatures, asked, into: [:]) { signatures, row in
      let signature = try SignatureRow(row, service: service)
      signatures[signature.signature] = signature
    }
  }

  package func forEachStall(_ filter: FleetFilter, _ body: @escaping (FleetStall) throws -> Void) throws {
    let body = Waiting.Unshared(value: body)
    _ = try rows(.stalls, FleetParameters(filter), into: 0) { _, row in try body.value(FleetStall(row)) }
  }

  package func examples(_ filter: FleetFilter, of signatures: Set<String>, limit: Int) throws -> [FleetStall] {
    let asked = FleetParameters(filter, signatures: signatures)
    return .examples(
      of: try rows(.examples, asked, into: [FleetStall]()) { $0.append(try FleetStall($1)) },
      limit: limit)
  }

  package func stacks(_ filter: FleetFilter, of signatures: Set<String>) throws -> [FleetStack] {
    let asked = FleetParameters(filter, signatures: signatures)
    var stacks = try rows(.stacks, asked, into: [UInt64: FleetStack]()) { stacks, row in
      stacks[try row.unsigned("stack")] = FleetStack(
        frames: [], looks: try row.unsigned("look_count"), weight: try row.unsigned("weight"))
    }
    let named = FleetParameters(filter, stacks: stacks.keys.sorted())
    stacks = try rows(.frames, named, into: stacks) { stacks, row in
      stacks[try row.unsigned("stack")]?.frames = try row.texts("frames")
    }
    return stacks.values.sorted { ($1.weight, $0.frames.joined()) < ($0.weight, $1.frames.joined()) }
  }

  /// The rows of a query, folded. Waits for the server.
  func rows<Value: Sendable>(
    _ query: FleetQuery, _ asked: FleetParameters, into initial: Value,
    _ fold: @escaping @Sendable (inout Value, ClickHouseRow) throws -> Void
  ) throws -> Value {
    let client = client
    return try Waiting.wait { try await client.answer(query, asked.values, into: initial, fold) }
  }
}

extension FleetUnit {
  fileprivate init(_ row: ClickHouseRow) throws {
    self.init(
      release: try row.text("release"), environment: try row.text("environment"), instance: try row.text("instance"))
  }
}

extension FleetSums.Activity {
  /// The figures, without the histograms.
  init(_ row: ClickHouseRow) throws {
    self.init()
    (watched, busy) = (try row.unsigned("watched"), try row.unsigned("busy"))
    iterations = try row.unsigned("turns")
    (stalls, stalled, worst) = (try row.unsigned("stall_count"), try row.unsigned("stalled"), try row.unsigned("worst"))
    (hangs, hang) = (try row.unsigned("hang_count"), try row.unsigned("hang"))
    unattributed = try row.unsigned("no_cause")
    (first, last) = (try row.unsigned("first"), try row.unsigned("last"))
  }
}

extension DurationHistogram {
  /// Two columns: the places of counters, and the counters.
  fileprivate init(_ row: ClickHouseRow, _ name: String) throws {
    self.init()
    let (places, counts) = (try row.unsigneds("\(name)_buckets"), try row.unsigneds("\(name)_counts"))
    for (place, count) in zip(places, counts).sorted(by: { $0.0 < $1.0 })
    where place < HistogramLayout.bucketCount {
      record(HistogramLayout.lowestDuration(at: Int(place)), count: count)
    }
  }
}

extension FleetSums.Stalls {
  init(_ row: ClickHouseRow) throws {
    self.init()
    (count, total, worst) = (try row.unsigned("stall_count"), try row.unsigned("total"), try row.unsigned("worst"))
    (first, last) = (try row.unsigned("first"), try row.unsigned("last"))
  }
}

extension SignatureRow {
  fileprivate init(_ row: ClickHouseRow, service: String) throws {
    self.init(
      service: service, signature: try row.text("signature"), title: try row.text("title"),
      function: try row.text("function"), file: try row.text("file"), line: UInt32(clamping: try row.unsigned("line")),
      call: try row.text("call"), called: try row.text("called"), near: try row.text("near"),
      frames: try row.texts("frames"), version: 0)
  }
}

extension FleetStall {
  fileprivate init(_ row: ClickHouseRow) throws {
    self.init(
      unit: try FleetUnit(row), session: try row.unsigned("session"), number: try row.unsigned("number"),
      lane: try row.text("lane"), signature: try row.text("signature"), started: try row.unsigned("started_ns"),
      duration: try row.unsigned("duration_ns"))
  }
}
