import StallwatchCore
import StallwatchStore

/// What the report on a service needs of its fleet: sums over instances, which stay small whatever the fleet's size.
/// Two sources with the same rows have equal ones.
package struct FleetSummary: Sendable, Equatable {
  /// Lanes of a name in a release and an environment, on all instances.
  package struct Lanes: Sendable, Hashable {
    package var release: String
    package var environment: String
    package var name: String
    package var kind: String
    package var isMain: Bool
  }

  /// Instances that have something in common.
  package enum Part: Sendable, Hashable {
    /// All, by all their lanes.
    case fleet
    /// Those with a lane of that name, by these lanes.
    case lane(String)
    /// All, by the lanes that count.
    case all
    /// Those that ran a release, by the lanes that count.
    case release(String)
    /// Those in an environment, by the lanes that count.
    case environment(String)
  }

  /// How many instances a part has, and how much they differ.
  package struct Spread: Sendable, Equatable {
    package var instances = 0
    /// Seconds of hangs per hour of use; nil without use.
    package var hangRate: RatioEstimate?
    /// Hangs per hour of use.
    package var hangs: RatioEstimate?

    package init() {}
  }

  /// An instance that hangs, by its lanes that count.
  package struct Instance: Sendable, Equatable {
    package var name: String
    package var watched: Nanoseconds
    package var hangs: UInt64
    package var hang: Nanoseconds
  }

  /// A cause in a release.
  package struct Reach: Sendable, Equatable {
    package var stalls = FleetSums.Stalls()
    package var instances = 0

    package init() {}
  }

  /// A cause with all its stalls.
  package struct Cause: Sendable, Equatable {
    /// What it is called: of its signatures, the one with the most time.
    package var signature: SignatureRow
    /// The keys of the other signatures that count with it.
    package var absorbed: [String] = []
    /// Its stalls in each release that has it.
    package var releases: [String: Reach] = [:]
    package var instances = 0
    /// In how many hours of instances it was seen.
    package var instanceHours = 0

    /// All its keys.
    package var keys: Set<String> { Set([signature.signature] + absorbed) }
    /// What texts call it.
    package var title: String { signature.title }
    /// Its stalls in all releases.
    package var stalls: FleetSums.Stalls {
      releases.values.reduce(into: FleetSums.Stalls()) { $0.add($1.stalls) }
    }
  }

  /// What sessions say of themselves.
  package struct Sessions: Sendable, Equatable {
    package var count: UInt64 = 0
    package var killed: UInt64 = 0
    package var duration: Nanoseconds = 0
    package var unobserved: Nanoseconds = 0
    package var excluded: Nanoseconds = 0
    /// The records that are missing, by kind.
    package var losses: [String: UInt64] = [:]

    package init() {}
  }

  package let filter: FleetFilter
  /// What the source is called.
  package let source: String
  package var lanes: [Lanes: FleetSums.Activity] = [:]
  package var spreads: [Part: Spread] = [:]
  /// The instances that hang most per hour of use, most first: at most ``mostWorst``, of those that were used for
  /// ``leastUse``.
  package var worst: [Instance] = []
  package var sessions = Sessions()
  /// The one that the most instances have first, then by hours and by time.
  package var causes: [Cause] = []

  /// The most instances that are listed.
  static let mostWorst = 10
  /// The least use of an instance that is listed: of less, a rate says nothing.
  static let leastUse = 1_800 * Nanoseconds.second

  /// An empty summary, for a source to fill.
  init(_ filter: FleetFilter, source: String) { (self.filter, self.source) = (filter, source) }

  /// The lanes that count.
  var counted: CountedLanes { CountedLanes(among: lanes.keys.lazy.map { ($0.kind, $0.isMain) }, filter) }

  /// The names of the lanes that count.
  package var countedLanes: [String] {
    let counted = counted
    return Set(lanes.keys.filter { counted.contains(kind: $0.kind, isMain: $0.isMain) }.map(\.name)).sorted()
  }

  /// The releases that were watched, in the order in which they were first seen.
  package var releases: [String] {
    var first: [String: UInt64] = [:]
    for (lane, activity) in lanes { first[lane.release] = min(first[lane.release] ?? .max, activity.first) }
    let watched = Set(lanes.filter { $0.value.watched > 0 }.map(\.key.release))
    return first.filter { watched.contains($0.key) }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }

  /// What lanes did, all together.
  package func activity(_ isIncluded: (Lanes) -> Bool) -> FleetSums.Activity {
    lanes.reduce(into: FleetSums.Activity()) { if isIncluded($1.key) { $0.add($1.value) } }
  }

  /// Puts the causes into their order: by instances, by hours, then by time.
  mutating func rankCauses() {
    causes.sort { one, other in
      let (left, right) = (one.stalls.total, other.stalls.total)
      return (other.instances, other.instanceHours, right, one.signature.signature)
        < (one.instances, one.instanceHours, left, other.signature.signature)
    }
  }
}
