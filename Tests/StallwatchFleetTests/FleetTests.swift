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
    let fleet = try Fleet(source, Self.filter)
    let groups = try #require(made.truth["groups"] as? [[String: Any]])
    for group in groups {
      let number = { (key: String) in (group[key] as? NSNumber)?.uint64Value }
      let own = fleet.sums.lanes.filter { lane, _ in
        lane.name == group["lane"] as? String && lane.unit.release == group["release"] as? String
          && lane.unit.environment == group["environment"] as? String
      }
      let sum = own.values.reduce(into: FleetSums.Activity()) { $0.add($1) }
      #expect(Set(own.keys.map(\.unit.instance)).count == group["instances"] as? Int)
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
      let stalls = cause.stalls()
      #expect(stalls.count == number("stalls"))
      #expect(stalls.total == number("total_ns"))
      #expect(stalls.worst == number("worst_ns"))
      #expect((stalls.first, stalls.last) == (number("first_ns"), number("last_ns")))
      #expect(UInt64(cause.instances()) == number("instances"))
      #expect(UInt64(cause.instanceHours) == number("instance_hours"))
      #expect(
        fleet.releases.filter { release in cause.stalls { $0.release == release }.count > 0 } == known["releases"]
          as? [String])
    }
    #expect(fleet.releases == ["1.0", "2.0"])
    // Copies of stores change nothing.
    let copy = made.directory.file("copy.stallwatch")
    try FileManager.default.copyItem(atPath: made.paths[0], toPath: copy)
    #expect(try StoreFleet(made.paths + [copy], name: "stores").sums(Self.filter) == fleet.sums)
    // Parts of the time add up to all of it.
    let first = try #require(fleet.sums.lanes.values.map(\.first).min())
    var (before, after) = (Self.filter, Self.filter)
    (before.until, after.since) = (first + 30, first + 30)
    var parts = try source.sums(before).lanes
    parts.merge(try source.sums(after).lanes) { one, other in
      var sum = one
      sum.add(other)
      return sum
    }
    #expect(parts == fleet.sums.lanes)
  }

  @Test("a cause comes with its stacks and with stalls that 'show' finds")
  func detail() throws {
    let made = try MadeStores()
    let source = try StoreFleet(made.paths, name: "stores")
    let fleet = try Fleet(source, Self.filter)
    let detail = try #require(try FleetCauseDetail("Feed.decode(_:)", of: fleet, in: source))
    #expect(detail.stacks.first?.frames.suffix(2) == ["Feed.update()", "Feed.decode(_:)"])
    #expect(detail.stacks.map(\.looks).reduce(0, +) >= detail.item.stalls.count)
    #expect(detail.examples.count == 10)
    #expect(
      Set(detail.examples.prefix(detail.item.instances).map(\.unit.instance)).count == min(detail.item.instances, 10))
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
    var sums = FleetSums()
    let unit = { (host: String) in FleetUnit(release: "1", environment: "", instance: host) }
    func add(_ key: String, near: String, on host: String, hours: Set<UInt64>, total: Nanoseconds) {
      var stalls = FleetSums.Stalls()
      (stalls.count, stalls.total, stalls.hours) = (1, total, hours)
      sums.causes[FleetSums.CauseKey(unit: unit(host), signature: key)] = stalls
      sums.signatures[key] = SignatureRow(
        service: "feed", signature: key, title: key, function: key, file: "", line: 0, call: "", called: "", near: near,
        frames: [], version: 0)
    }
    add("a", near: "", on: "one", hours: [1, 2], total: 50)
    add("b", near: "a", on: "one", hours: [2, 3], total: 40)
    add("b", near: "a", on: "two", hours: [2], total: 5)
    add("c", near: "", on: "two", hours: [2], total: 9)
    let fleet = Fleet(sums, Self.filter, source: "made up")
    #expect(fleet.causes.map(\.signature.signature) == ["a", "c"])
    #expect(fleet.causes[0].absorbed == ["b"])
    #expect(fleet.causes[0].instances() == 2)
    #expect(fleet.causes[0].instanceHours == 4)
    #expect(fleet.causes[0].stalls().count == 3)
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
