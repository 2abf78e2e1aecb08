import StallwatchCore
import StallwatchStore

/// One release on one instance: what a fleet's questions compare, count and rank.
package struct FleetUnit: Sendable, Hashable, Comparable {
  package var release: String
  package var environment: String
  package var instance: String

  package init(release: String, environment: String, instance: String) {
    (self.release, self.environment, self.instance) = (release, environment, instance)
  }

  package static func < (left: FleetUnit, right: FleetUnit) -> Bool {
    (left.release, left.environment, left.instance) < (right.release, right.environment, right.instance)
  }
}

/// The sums of each unit of a fleet. Two sources with the same rows have equal ones.
package struct FleetSums: Sendable, Equatable {
  /// A lane of a unit, by its name.
  package struct Lane: Sendable, Hashable {
    package var unit: FleetUnit
    package var name: String
    package var kind: String
    package var isMain: Bool
  }

  /// What lanes of a name did in all hours: the sums of ``ActivityRow``.
  package struct Activity: Sendable, Equatable {
    package var watched: Nanoseconds = 0
    package var busy: Nanoseconds = 0
    package var iterations: UInt64 = 0
    package var stalls: UInt64 = 0
    package var stalled: Nanoseconds = 0
    package var hangs: UInt64 = 0
    package var hang: Nanoseconds = 0
    package var worst: Nanoseconds = 0
    package var unattributed: UInt64 = 0
    package var spans = DurationHistogram()
    package var delays = DurationHistogram()
    /// The first and the last hour, counted from 1970.
    package var first = UInt64.max
    package var last: UInt64 = 0

    package init() {}

    /// Adds another's sums.
    package mutating func add(_ other: Activity) {
      watched = watched.saturatingAdd(other.watched)
      busy = busy.saturatingAdd(other.busy)
      iterations = iterations.saturatingAdd(other.iterations)
      stalls = stalls.saturatingAdd(other.stalls)
      stalled = stalled.saturatingAdd(other.stalled)
      hangs = hangs.saturatingAdd(other.hangs)
      hang = hang.saturatingAdd(other.hang)
      worst = max(worst, other.worst)
      unattributed = unattributed.saturatingAdd(other.unattributed)
      spans.add(other.spans)
      delays.add(other.delays)
      (first, last) = (min(first, other.first), max(last, other.last))
    }
  }

  /// A cause on a unit, by its signature's key as its stalls show it.
  package struct CauseKey: Sendable, Hashable {
    package var unit: FleetUnit
    package var signature: String
  }

  /// Its stalls.
  package struct Stalls: Sendable, Equatable {
    package var count: UInt64 = 0
    package var total: Nanoseconds = 0
    package var worst: Nanoseconds = 0
    /// When the first and the last began, nanoseconds since 1970.
    package var first = UInt64.max
    package var last: UInt64 = 0

    package init() {}

    /// Adds other stalls.
    package mutating func add(_ other: Stalls) {
      count = count.saturatingAdd(other.count)
      total = total.saturatingAdd(other.total)
      worst = max(worst, other.worst)
      (first, last) = (min(first, other.first), max(last, other.last))
    }
  }

  package var lanes: [Lane: Activity] = [:]
  package var causes: [CauseKey: Stalls] = [:]
  /// The highest threshold of each unit's sessions.
  package var thresholds: [FleetUnit: Nanoseconds] = [:]
  /// What the keys stand for.
  package var signatures: [String: SignatureRow] = [:]

  package init() {}
}
