import Foundation
import SeededNumbers
import StallwatchCore
import StallwatchStore

@testable import StallwatchFleet

/// A fleet that is no more than its figures, drawn by chance: instances that differ, with causes that hold each for some
/// time. Instances run release 1, then release 2.
struct MadeUpFleet: FleetSource {
  let name = "made up"
  var all = FleetSums()
  var stalls: [FleetStall] = []
  /// When it begins, in hours since 1970.
  static let start: UInt64 = 490_000

  /// So many instances, each with 12 hours of each release. In release 2, `slow` takes so many times as long on that share
  /// of them, and every instance has `extra` at so many stalls an hour.
  init(
    seed: UInt64, instances: Int = 40, slower: Double = 1, share: Double = 0, extra: Double = 0, gone: Double = 0
  ) {
    for number in 0..<instances {
      var random = RandomNumbers(seed: seed, number: UInt64(number))
      let machine = exp(0.05 * Self.normal(&random))
      let isSlow = Double(random.below(1_000)) < share * 1_000
      let moods = Self.causes.map { _ in exp(0.3 * Self.normal(&random)) }
      for release in 0..<2 {
        let unit = FleetUnit(release: "\(release + 1).0", environment: "production", instance: "host-\(number)")
        var activity = FleetSums.Activity()
        (activity.first, activity.last) = (Self.start + UInt64(release) * 24, Self.start + UInt64(release) * 24 + 11)
        (activity.watched, activity.iterations) = (12 * 3_600 * .second, 100_000)
        for _ in 0..<200 {
          activity.spans.record(Nanoseconds(3e6 * machine * exp(0.6 * Self.normal(&random))), count: 9)
        }
        all.thresholds[unit] = 50 * .millisecond
        var causes = Self.causes
        if release == 1, extra > 0 { causes.append((name: "extra", perHour: extra, middle: 200)) }
        if release == 0, gone > 0 { causes.append((name: "gone", perHour: gone, middle: 200)) }
        for (place, cause) in causes.enumerated() {
          let mood = place < moods.count ? moods[place] : 1
          let slowness = cause.name == "decode" && release == 1 && isSlow ? slower : 1
          add(cause, mood: mood, machine: machine * slowness, unit, &activity, &random)
        }
        all.lanes[FleetSums.Lane(unit: unit, name: "main", kind: "run loop", isMain: true)] = activity
      }
    }
    for key in Set(all.causes.keys.map(\.signature)) {
      all.signatures[key] = SignatureRow(
        service: "feed", signature: key, title: key, function: "\(key)()", file: "/build/\(key).swift", line: 7,
        call: "",
        called: "", near: "", frames: [key], version: 0)
    }
  }

  private static let causes = [
    (name: "decode", perHour: 4.0, middle: 120.0), (name: "layout", perHour: 3, middle: 300),
    (name: "save", perHour: 1, middle: 500), (name: "fetch", perHour: 2, middle: 180),
    (name: "search", perHour: 0.5, middle: 700),
  ]

  private mutating func add(
    _ cause: (name: String, perHour: Double, middle: Double), mood: Double, machine: Double, _ unit: FleetUnit,
    _ activity: inout FleetSums.Activity, _ random: inout RandomNumbers
  ) {
    var (at, sum) = (0.0, FleetSums.Stalls())
    while true {
      at += -log(Double.random(in: .ulpOfOne..<1, using: &random)) / (cause.perHour * mood)
      guard at < 12 else { break }
      let duration = Nanoseconds(max(cause.middle * machine * exp(0.35 * Self.normal(&random)), 51) * 1e6)
      let started = (activity.first * 3_600) * .second + Nanoseconds(at * 3_600e9)
      stalls.append(
        FleetStall(
          unit: unit, session: 1, number: UInt64(stalls.count + 1), lane: "main", signature: cause.name,
          started: started, duration: duration))
      sum.count += 1
      sum.total += duration
      sum.worst = max(sum.worst, duration)
      (sum.first, sum.last) = (min(sum.first, started), max(sum.last, started))
      activity.stalls += 1
      activity.stalled += duration
      if duration >= 250 * .millisecond {
        activity.hangs += 1
        activity.hang += duration
      }
    }
    if sum.count > 0 { all.causes[FleetSums.CauseKey(unit: unit, signature: cause.name)] = sum }
  }

  private static func normal(_ random: inout RandomNumbers) -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }

  func known() -> FleetNames {
    var names = FleetNames()
    names.services["feed", default: FleetNames.Service()].releases = ["1.0", "2.0"]
    names.newest = Self.start + 35
    return names
  }

  func summary(_ filter: FleetFilter) -> FleetSummary {
    var rows = RowSums()
    rows.units = sums(filter, of: nil)
    return rows.summary(filter, source: name)
  }

  func sums(_ filter: FleetFilter, of signatures: Set<String>?) -> FleetSums {
    var sums = all
    if let signatures { sums.causes = sums.causes.filter { signatures.contains($0.key.signature) } }
    guard !filter.releases.isEmpty else { return sums }
    sums.lanes = sums.lanes.filter { filter.releases.contains($0.key.unit.release) }
    sums.causes = sums.causes.filter { filter.releases.contains($0.key.unit.release) }
    return sums
  }

  func forEachStall(_ filter: FleetFilter, _ body: @escaping (FleetStall) throws -> Void) throws {
    for stall in stalls where filter.releases.isEmpty || filter.releases.contains(stall.unit.release) {
      try body(stall)
    }
  }

  func examples(_ filter: FleetFilter, of signatures: Set<String>, limit: Int) -> [FleetStall] {
    .examples(of: stalls.filter { signatures.contains($0.signature) }, limit: limit)
  }

  func stacks(_ filter: FleetFilter, of signatures: Set<String>) -> [FleetStack] { [] }
}
