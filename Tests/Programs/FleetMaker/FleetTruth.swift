import Foundation
import StallwatchCore
import StallwatchStore

/// What a report of the simulated fleet must say.
struct FleetTruth {
  /// What lanes of one name did, of one release and environment.
  private struct Group {
    var release: String
    var environment: String
    var lane: String
    var watched: Nanoseconds = 0
    var busy: Nanoseconds = 0
    var iterations: UInt64 = 0
    var stalls: UInt64 = 0
    var hangs: UInt64 = 0
    var stalled: Nanoseconds = 0
    var worst: Nanoseconds = 0
    var instances: Set<String> = []
    var spans: [Int: UInt64] = [:]
  }

  private struct Cause {
    var stalls: UInt64 = 0
    var total: Nanoseconds = 0
    var worst: Nanoseconds = 0
    var instances: Set<String> = []
    var hours: Set<String> = []
    var first = UInt64.max
    var last: UInt64 = 0
    var releases: Set<String> = []
  }

  private var sessions = 0
  private var groups: [String: Group] = [:]
  private var causes: [String: Cause] = [:]

  mutating func begin(_ session: SimulatedSession) {
    sessions += 1
    for lane in ["main", "images"] { change(lane, of: session) { _ in } }
  }

  mutating func add(
    lane: String, watched: Nanoseconds, iterations: UInt64, busy: Nanoseconds, _ buckets: [Int: UInt32],
    of session: SimulatedSession
  ) {
    change(lane, of: session) { group in
      group.watched += watched
      group.iterations += iterations
      group.busy += busy
      for (index, count) in buckets { group.spans[index, default: 0] += UInt64(count) }
    }
  }

  mutating func add(_ stall: SimulatedStall, of session: SimulatedSession) {
    let cause = SimulatedCause.all[stall.cause]
    change(cause.isOnQueue ? "images" : "main", of: session) { group in
      group.stalls += 1
      if stall.duration >= Severity.microhang.minimum { group.hangs += 1 }
      group.stalled += stall.duration
      group.worst = max(group.worst, stall.duration)
    }
    var known = causes[cause.function] ?? Cause()
    known.stalls += 1
    known.total += stall.duration
    known.worst = max(known.worst, stall.duration)
    known.instances.insert(session.instance.name)
    known.hours.insert("\(session.instance.name) \(session.hour(of: stall.at))")
    known.first = min(known.first, session.wall(stall.at))
    known.last = max(known.last, session.wall(stall.at))
    known.releases.insert(session.release)
    causes[cause.function] = known
  }

  private mutating func change(_ lane: String, of session: SimulatedSession, _ change: (inout Group) -> Void) {
    let key = [session.release, session.instance.environment, lane].joined(separator: " ")
    var group =
      groups[key] ?? Group(release: session.release, environment: session.instance.environment, lane: lane)
    group.instances.insert(session.instance.name)
    change(&group)
    groups[key] = group
  }

  func json() throws -> Data {
    let groups: [[String: Any]] = groups.sorted { $0.key < $1.key }.map { _, group in
      [
        "release": group.release, "environment": group.environment, "lane": group.lane, "watched_ns": group.watched,
        "busy_ns": group.busy, "iterations": group.iterations, "stalls": group.stalls, "hangs": group.hangs,
        "stalled_ns": group.stalled, "worst_ns": group.worst, "instances": group.instances.count,
        "spans": group.spans.sorted { $0.key < $1.key }.map { [UInt64($0.key), $0.value] },
      ]
    }
    let causes = causes.mapValues { cause -> [String: Any] in
      [
        "stalls": cause.stalls, "total_ns": cause.total, "worst_ns": cause.worst, "instances": cause.instances.count,
        "instance_hours": cause.hours.count, "first_ns": cause.first, "last_ns": cause.last,
        "releases": cause.releases.sorted(),
      ]
    }
    return try JSONSerialization.data(
      withJSONObject: ["sessions": sessions, "groups": groups, "causes": causes],
      options: [.sortedKeys, .prettyPrinted])
  }
}
