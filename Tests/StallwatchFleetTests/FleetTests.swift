import Foundation
import StallwatchCore
import StallwatchStore
import TestPrograms
import Testing

@testable import StallwatchFleet

@Suite("Fleets")
struct FleetTests {
  private static var filter: FleetFilter {
    var filter = FleetFilter()
    filter.service = "feed"
    return filter
  }

  /// Stores of a made fleet, and the truth about it.
  private struct MadeStores {
    let directory: TestDirectory
    let paths: [String]
    let truth: [String: Any]

    init() throws {
      directory = try TestDirectory()
      let run = try TestRun.run([Built.product("fleet-maker"), directory.path, "6", "4", "11"])
      #expect(run.exitCode == 0, "\(run.errorText)")
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      paths = names.filter { $0.hasSuffix(".stallwatch") }.sorted().map { [directory] in directory.file($0) }
      let data = try Data(contentsOf: URL(fileURLWithPath: directory.file("truth.json")))
      truth = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
  }

  @Test("the figures of stores are the truth about them, to the nanosecond and the bucket")
  func truth() throws {
    let made = try MadeStores()
    let source = try StoreFleet(made.paths, name: "stores")
    let sums = try source.sums(Self.filter, of: nil)
    let fleet = try source.summary(Self.filter)
    let groups = try #require(made.truth["groups"] as? [[String: Any]])
    for group in groups {
      let number = { (key: String) in (group[key] as? NSNumber)?.uint64Value }
      let own = sums.lanes.filter { lane, _ in
        lane.name == group["lane"] as? String && lane.unit.release == group["release"] as? String
          && lane.unit.environment == group["environment"] as? String
      }
      #expect(Set(own.keys.map(\.unit.instance)).count == group["instances"] as? Int)
      let sum = fleet.activity { lanes in
        lanes.name == group["lane"] as? String && lanes.release == group["release"] as? String
          && lanes.environment == group["environment"] as? String
      }
      #expect(sum == own.values.reduce(into: FleetSums.Activity()) { $0.add($1) })
      #expect(sum.watched == number("watched_ns"))
      #expect(sum.busy == number("busy_ns"))
      #expect(sum.iterations == number("iterations"))
      #expect(sum.stalls == number("stalls"))
      #expect(sum.stalled == number("stalled_ns"))
      #expect(sum.hangs == number("hangs"))
      #expect(sum.worst == number("worst_ns"))
      let spans = try #require(group["spans"] as? [[UInt64]])
      #expect(sum.spans.buckets.map { [UInt64($0.index), $0.count] } == spans)
    }
    let causes = try #require(made.truth["causes"] as? [String: [String: Any]])
    #expect(Set(fleet.causes.map(\.signature.function)) == Set(causes.keys))
    for cause in fleet.causes {
      let known = try #require(causes[cause.signature.function])
      let number = { (key: String) in (known[key] as? NSNumber)?.uint64Value }
      let stalls = cause.stalls
      #expect(stalls.count == number("stalls"))
      #expect(stalls.total == number("total_ns"))
      #expect(stalls.worst == number("worst_ns"))
      #expect((stalls.first, stalls.last) == (number("first_ns"), number("last_ns")))
      #expect(UInt64(cause.instances) == number("instances"))
      #expect(UInt64(cause.instanceHours) == number("instance_hours"))
      #expect(fleet.releases.filter { cause.releases[$0] != nil } == known["releases"] as? [String])
    }
    #expect(fleet.releases == ["1.0", "2.0"])
    // Copies of stores change nothing.
    let copy = made.directory.file("copy.stallwatch")
    try FileManager.default.copyItem(atPath: made.paths[0], toPath: copy)
    #expect(try StoreFleet(made.paths + [copy], name: "stores").summary(Self.filter) == fleet)
    // Parts of the time add up to all of it.
    let first = try #require(sums.lanes.values.map(\.first).min())
    var (before, after) = (Self.filter, Self.filter)
    (before.until, after.since) = (first + 30, first + 30)
    var parts = try source.sums(before, of: nil).lanes
    parts.merge(try source.sums(after, of: nil).lanes) { one, other in
      var sum = one
      sum.add(other)
      return sum
    }
    #expect(parts == sums.lanes)
  }

  @Test("a cause comes with its stacks and with stalls that 'show' finds")
  func detail() throws {
    let made = try MadeStores()
    let source = try StoreFleet(made.paths, name: "stores")
    let fleet = try source.summary(Self.filter)
    let detail = try #require(try FleetCauseDetail("Feed.decode(_:)", of: fleet, in: source))
    #expect(detail.stacks.first?.frames.suffix(2) == ["Feed.update()", "Feed.decode(_:)"])
    #expect(detail.stacks.map(\.looks).reduce(0, +) >= detail.item.stalls.count)
    #expect(detail.examples.count == 10)
    #expect(
      Set(detail.examples.prefix(detail.item.cause.instances).map(\.unit.instance)).count
        == min(detail.item.cause.instances, 10))
    for example in detail.examples {
      let store = try StoreReader(path: try #require(example.store))
      let session = try #require(try store.sessions().first { RowOrigin.number(of: $0) == example.session })
      let row = try #require(try store.row(ofStall: example.number, session: session.id))
      #expect(try store.stall(id: row)?.duration == example.duration)
    }
    #expect(try FleetCauseDetail("no such", of: fleet, in: source) == nil)
  }

  @Test("causes that are one bug are taken together over the whole fleet, and counted once for each instance")
  func merging() {
    var rows = RowSums()
    func add(_ key: String, near: String, on host: String, release: String, hours: [UInt32], total: Nanoseconds) {
      let origin = RowOrigin(session: 1, service: "feed", release: release, environment: "", instance: host)
      for hour in hours {
        var row = ActivityRow(
          origin: origin, hour: hour * 3_600, lane: 1, laneName: "main", laneKind: "run loop", isMain: true, watched: 1,
          version: 1)
        row.causes = [
          ActivityRow.Cause(
            signature: key, stalls: 1, total: total, worst: total, first: UInt64(hour), last: UInt64(hour))
        ]
        rows.add(row, Self.filter)
      }
      rows.units.signatures[key] = SignatureRow(
        service: "feed", signature: key, title: key, function: key, file: "", line: 0, call: "", called: "", near: near,
        frames: [], version: 0)
    }
    add("a", near: "", on: "one", release: "1", hours: [1, 2], total: 50)
    add("b", near: "a", on: "one", release: "2", hours: [2, 3], total: 40)
    add("b", near: "a", on: "two", release: "2", hours: [2], total: 5)
    add("c", near: "", on: "two", release: "2", hours: [2], total: 9)
    add("d", near: "", on: "two", release: "2", hours: [2], total: 90)
    let fleet = rows.summary(Self.filter, source: "made up")
    #expect(fleet.causes.map(\.signature.signature) == ["a", "d", "c"])
    #expect(fleet.causes[0].absorbed == ["b"])
    #expect(fleet.causes[0].instances == 2)
    #expect(fleet.causes[0].releases.mapValues(\.instances) == ["1": 1, "2": 2])
    #expect(fleet.causes[0].instanceHours == 4)
    #expect(fleet.causes[0].stalls.count == 5)
  }

  @Test("what counts are the lanes of main threads, or all loops where there are none or lanes are named")
  func countedLanes() throws {
    let lanes = [
      (name: "main", kind: "run loop", isMain: true), ("io", "event loop", false), ("images", "queue", false),
    ]
    let summary = { (kinds: [(name: String, kind: String, isMain: Bool)], filter: FleetFilter) in
      var rows = RowSums()
      for (place, lane) in kinds.enumerated() {
        let origin = RowOrigin(session: 1, service: "feed", release: "1", environment: "", instance: "host \(place)")
        var row = ActivityRow(
          origin: origin, hour: 3_600, lane: UInt32(place), laneName: lane.name, laneKind: lane.kind,
          isMain: lane.isMain, watched: 3_600 * .second, version: 1)
        (row.hangs, row.hang) = (UInt64(place) + 1, (UInt64(place) + 1) * .second)
        rows.add(row, filter)
      }
      return rows.summary(filter, source: "made up")
    }
    let all = summary(lanes, Self.filter)
    #expect(all.countedLanes == ["main"])
    #expect((all.spreads[.all]?.instances, all.spreads[.fleet]?.instances) == (1, 3))
    #expect(all.spreads[.lane("images")]?.hangs?.value == 3)
    #expect(all.worst.map(\.name) == ["host 0"])
    let without = summary(Array(lanes.dropFirst()), Self.filter)
    #expect(without.countedLanes == ["io"])
    var named = Self.filter
    named.lanes = ["main", "io"]
    let asked = summary(lanes, named)
    #expect(asked.countedLanes == ["io", "main"])
    #expect(asked.worst.map(\.name) == ["host 1", "host 0"])
    #expect(FleetReport(asked).total.hangRate?.value == 1.5)
  }

  @Test("how a cause stands follows from the releases that have it, and from those that would have shown it")
  func states() {
    let hours = [100.0, 100, 100]
    #expect(FleetCauses.state([0, 0, 9], hours: hours) == .new)
    #expect(FleetCauses.state([9, 0, 9], hours: hours) == .regressed)
    #expect(FleetCauses.state([9, 9, 0], hours: hours) == .gone)
    #expect(FleetCauses.state([9, 9, 9], hours: hours) == .known)
    #expect(FleetCauses.state([0, 9, 9], hours: hours) == .known)
    // What little use would not have shown says nothing.
    #expect(FleetCauses.state([9, 9, 0], hours: [100, 100, 10]) == .known)
    #expect(FleetCauses.state([0, 0, 9], hours: [1, 1, 100]) == .known)
    #expect(FleetCauses.state([5], hours: [100]) == .known)
  }

  @Test("the interval of a rate is that of a ratio over instances, and there is none of three")
  func ratio() throws {
    let few = try #require(RatioEstimate([(1, 1), (2, 1), (3, 1)]))
    #expect(few.value == 2)
    #expect(few.low == nil)
    #expect(RatioEstimate([]) == nil)
    let alike = try #require(RatioEstimate(Array(repeating: (part: 2.0, whole: 4.0), count: 10)))
    #expect((alike.value, alike.low, alike.high) == (0.5, 0.5, 0.5))
    // √(4 ÷ 3 · 1) ÷ 4, times 3.18.
    let some = try #require(RatioEstimate([(0.5, 1), (1.5, 1), (0.5, 1), (1.5, 1)]))
    #expect(abs((some.high ?? 0) - (1 + 3.182 * (4.0 / 3).squareRoot() / 4)) < 0.01)
  }
}
