import StallwatchCore
import StallwatchStore

/// The sums of rows that are at hand, for a source that has no server to add them up.
struct RowSums {
  var units = FleetSums()
  private var sessions = FleetSummary.Sessions()
  /// The hours, counted from 1970, in which stalls of a signature began, by instance.
  private var hours: [String: [String: Set<UInt64>]] = [:]

  /// Adds what a lane did in an hour, if the filter admits it.
  mutating func add(_ row: ActivityRow, _ filter: FleetFilter) {
    let hour = UInt64(row.hour) / 3_600
    guard filter.admits(hour: hour), filter.admits(lane: row.laneName) else { return }
    let unit = FleetUnit(row.origin)
    var activity = FleetSums.Activity()
    (activity.watched, activity.busy, activity.iterations) = (row.watched, row.busy, row.iterations)
    (activity.stalls, activity.stalled, activity.worst) = (row.stalls, row.stalled, row.worst)
    (activity.hangs, activity.hang, activity.unattributed) = (row.hangs, row.hang, row.unattributed)
    (activity.spans, activity.delays) = (row.spans, row.delays)
    (activity.first, activity.last) = (hour, hour)
    let lane = FleetSums.Lane(unit: unit, name: row.laneName, kind: row.laneKind, isMain: row.isMain != 0)
    units.lanes[lane, default: .init()].add(activity)
    for cause in row.causes {
      var stalls = FleetSums.Stalls()
      (stalls.count, stalls.total, stalls.worst) = (cause.stalls, cause.total, cause.worst)
      (stalls.first, stalls.last) = (cause.first, cause.last)
      units.causes[FleetSums.CauseKey(unit: unit, signature: cause.signature), default: .init()].add(stalls)
      hours[cause.signature, default: [:]][unit.instance, default: []].insert(hour)
    }
  }

  /// Adds a session.
  mutating func add(_ row: SessionRow) {
    let unit = FleetUnit(row.origin)
    units.thresholds[unit] = max(units.thresholds[unit] ?? 0, row.threshold)
    sessions.count += 1
    if row.ended == SessionEnd.killed.rawValue { sessions.killed += 1 }
    sessions.duration = sessions.duration.saturatingAdd(row.duration)
    sessions.unobserved = sessions.unobserved.saturatingAdd(row.unobserved)
    sessions.excluded = sessions.excluded.saturatingAdd(row.excluded)
    for loss in row.losses {
      sessions.losses[loss.what] = (sessions.losses[loss.what] ?? 0).saturatingAdd(loss.count)
    }
  }

  /// The sums over all units.
  func summary(_ filter: FleetFilter, source: String) -> FleetSummary {
    var summary = FleetSummary(filter, source: source)
    summary.sessions = sessions
    for (lane, activity) in units.lanes {
      let lanes = FleetSummary.Lanes(
        release: lane.unit.release, environment: lane.unit.environment, name: lane.name, kind: lane.kind,
        isMain: lane.isMain)
      summary.lanes[lanes, default: .init()].add(activity)
    }
    addInstances(to: &summary)
    addCauses(to: &summary)
    return summary
  }

  private func addInstances(to summary: inout FleetSummary) {
    let counted = summary.counted
    var parts: [FleetSummary.Part: [String: FleetSummary.Instance]] = [:]
    for (lane, activity) in units.lanes {
      var places: [FleetSummary.Part] = [.fleet, .lane(lane.name)]
      if counted.contains(kind: lane.kind, isMain: lane.isMain) {
        places += [.all, .release(lane.unit.release), .environment(lane.unit.environment)]
      }
      let name = lane.unit.instance
      for place in places {
        var instance = parts[place]?[name] ?? FleetSummary.Instance(name: name, watched: 0, hangs: 0, hang: 0)
        instance.watched = instance.watched.saturatingAdd(activity.watched)
        instance.hangs = instance.hangs.saturatingAdd(activity.hangs)
        instance.hang = instance.hang.saturatingAdd(activity.hang)
        parts[place, default: [:]][name] = instance
      }
    }
    summary.spreads = parts.mapValues { FleetSummary.Spread($0.values) }
    let ratio = { (instance: FleetSummary.Instance) in Double(instance.hang) / Double(instance.watched) }
    let hanging = (parts[.all] ?? [:]).values.filter { $0.watched >= FleetSummary.leastUse && $0.hang > 0 }
    let ranked = hanging.sorted { (ratio($1), $0.name) < (ratio($0), $1.name) }
    summary.worst = Array(ranked.prefix(FleetSummary.mostWorst))
  }

  private func addCauses(to summary: inout FleetSummary) {
    summary.causes = Fleet(units, summary.filter).causes.map { known in
      var cause = FleetSummary.Cause(signature: known.signature, absorbed: known.absorbed)
      var instances: [String: Set<String>] = [:]
      for (unit, stalls) in known.units {
        cause.releases[unit.release, default: .init()].stalls.add(stalls)
        instances[unit.release, default: []].insert(unit.instance)
      }
      for (release, instances) in instances { cause.releases[release]?.instances = instances.count }
      cause.instances = known.instances()
      var hit: [String: Set<UInt64>] = [:]
      for key in known.keys { hit.merge(hours[key] ?? [:]) { $0.union($1) } }
      cause.instanceHours = hit.values.reduce(0) { $0 + $1.count }
      return cause
    }
    summary.rankCauses()
  }
}

extension FleetSummary.Spread {
  init(_ instances: some Collection<FleetSummary.Instance>) {
    // In order, so that the same figures give the same sums of fractions.
    let ordered = instances.sorted { $0.name < $1.name }
    let hours = { (instance: FleetSummary.Instance) in Double(instance.watched) / 3_600e9 }
    self.instances = ordered.count
    hangRate = RatioEstimate(ordered.map { (Double($0.hang) / 1e9, hours($0)) })
    hangs = RatioEstimate(ordered.map { (Double($0.hangs), hours($0)) })
  }
}
