import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Compares two releases of a fleet, by the test of `diff`: each instance of a release is what a session is there.
package struct FleetComparison: Sendable {
  package let service: String
  package let source: String
  package let releases: (base: String, new: String)
  package let comparison: Comparison

  /// Why two releases cannot be compared.
  package enum Obstacle: Error, Equatable {
    /// The release has no stalls and no watched time.
    case empty(release: String)
  }

  /// What a fleet is compared with by default. Instances differ from each other less than machines of one's own do, and are
  /// many: a cause that became a fifth slower on a third of them is 6 % slower on all.
  package static var configuration: ComparisonConfiguration {
    var configuration = ComparisonConfiguration()
    (configuration.confidence, configuration.leastChange) = (0.99, 0.03)
    return configuration
  }

  /// Compares release `new` with `base`, with all else as the filter has it. Throws ``Obstacle`` and what the source throws.
  package init(
    _ source: some FleetSource, _ filter: FleetFilter, base: String, new: String,
    configuration: ComparisonConfiguration = FleetComparison.configuration
  ) throws {
    (service, self.source, releases) = (filter.service ?? "", source.name, (base, new))
    var filter = filter
    filter.releases = [base, new]
    let fleet = try Fleet(source, filter)
    var sides = [FleetSide(base, fleet), FleetSide(new, fleet)]
    for side in sides where side.isEmpty { throw Obstacle.empty(release: side.release) }
    let keys = Dictionary(
      fleet.causes.flatMap { cause in cause.keys.map { ($0, cause.signature.signature) } },
      uniquingKeysWith: { first, _ in first })
    try source.forEachStall(filter) { stall in
      let place = stall.unit.release == base ? 0 : 1
      sides[place].add(stall, cause: keys[stall.signature] ?? stall.signature)
    }
    let signatures = Dictionary(
      fleet.causes.map { ($0.signature.signature, $0.signature) }, uniquingKeysWith: { first, _ in first })
    let folded = sides.map { $0.folded(signatures) }
    let titles = signatures.mapValues(\.sentence)
    var compared = Comparer(configuration: configuration).judge(base: folded[0], new: folded[1], sentences: titles)
    compared.unit = "instance"
    for cause in fleet.causes {
      for place in compared.changes.indices where compared.changes[place].signature == cause.signature.signature {
        compared.changes[place].absorbed = cause.absorbed
      }
    }
    comparison = compared
  }
}

/// One release, instance by instance, while its stalls are read.
private struct FleetSide {
  let release: String
  private var side = ComparedSide()
  private var places: [FleetUnit: (place: Int, start: UInt64)] = [:]

  var isEmpty: Bool { side.sessions.isEmpty }

  init(_ release: String, _ fleet: Fleet) {
    self.release = release
    side.stores = [release]
    let exposures = fleet.exposures
    let lanes = Dictionary(grouping: fleet.sums.lanes.filter { $0.key.unit.release == release }, by: \.key.unit)
    // In order: the same figures give the same answer every time.
    for (unit, lanes) in lanes.sorted(by: { $0.key < $1.key }) {
      let all = lanes.reduce(into: FleetSums.Activity()) { $0.add($1.value) }
      guard all.watched > 0 else { continue }
      let length = (all.last - all.first + 1).saturatingMultiply(by: HourGrid.length)
      var session = ComparedSession(duration: length, threshold: fleet.sums.thresholds[unit] ?? 0)
      session.seconds = Double(all.watched) / 1e9
      session.iterations = all.iterations
      session.hangs = exposures[unit]?.hangs ?? 0
      for (lane, activity) in lanes.sorted(by: { $0.key.name < $1.key.name }) {
        guard let spans = StoredMetric(activity.spans) else { continue }
        session.modes[ComparedSession.ModeKey(loop: lane.name, mode: nil)] = ["span": .distribution(spans)]
      }
      places[unit] = (side.sessions.count, all.first * HourGrid.length)
      side.sessions.append(session)
      side.stalls.count += Int(clamping: all.stalls)
      side.stalls.total = side.stalls.total.saturatingAdd(all.stalled)
    }
  }

  mutating func add(_ stall: FleetStall, cause: String) {
    guard let (place, start) = places[stall.unit] else { return }
    side.sessions[place].addStall(cause: cause, at: stall.started.since(start), duration: stall.duration)
  }

  func folded(_ signatures: [String: SignatureRow]) -> ComparedSide {
    var folded = side
    for session in side.sessions {
      for key in session.causes.keys where folded.causes[key] == nil {
        let row = signatures[key] ?? SignatureRow(unknown: key)
        folded.causes[key] = ComparedSide.Cause(
          signature: Signature(key: key, title: row.title, frames: row.frames, call: row.call, near: nil), blame: nil)
      }
    }
    return folded
  }
}

extension StoredMetric {
  /// The metric of a histogram alone: sum and maximum to within its counters. Nil without values.
  init?(_ histogram: DurationHistogram) {
    guard let last = histogram.buckets.last else { return nil }
    let total = histogram.buckets.reduce(Nanoseconds(0)) {
      $0.saturatingAdd(HistogramLayout.middleDuration(at: $1.index).saturatingMultiply(by: $1.count))
    }
    self.init(
      count: histogram.totalCount, total: total, maximum: HistogramLayout.highestDuration(at: last.index),
      histogram: histogram)
  }
}
