import StallwatchCore

extension ClickHouseFleet {
  /// The server adds up: what comes over the wire does not grow with the fleet.
  package func summary(_ filter: FleetFilter) throws -> FleetSummary {
    var summary = FleetSummary(filter, source: name)
    let asked = FleetParameters(filter)
    summary.lanes = try lanes(asked)
    let counting = asked.counting(summary.counted)
    summary.spreads = try rows(.spreads, counting, into: [:]) { spreads, row in
      spreads[try FleetSummary.Part(row)] = try FleetSummary.Spread(row)
    }
    summary.worst = try rows(.worst, counting, into: []) { worst, row in
      worst.append(
        FleetSummary.Instance(
          name: try row.text("instance"), watched: try row.unsigned("watched"), hangs: try row.unsigned("hang_count"),
          hang: try row.unsigned("hang")))
    }
    let sessions = try rows(.sessions, asked, into: FleetSummary.Sessions()) { sessions, row in
      (sessions.count, sessions.killed) = (try row.unsigned("session_count"), try row.unsigned("killed"))
      (sessions.duration, sessions.unobserved) = (try row.unsigned("duration"), try row.unsigned("unobserved"))
      sessions.excluded = try row.unsigned("excluded")
    }
    summary.sessions = try rows(.losses, asked, into: sessions) { sessions, row in
      sessions.losses[try row.text("what")] = try row.unsigned("records")
    }
    summary.causes = try causes(filter)
    summary.rankCauses()
    return summary
  }

  private func lanes(_ asked: FleetParameters) throws -> [FleetSummary.Lanes: FleetSums.Activity] {
    typealias Group = (lanes: FleetSummary.Lanes, activity: FleetSums.Activity)
    var groups = try rows(.lanes, asked, into: [UInt64: Group]()) { groups, row in
      let lanes = FleetSummary.Lanes(
        release: try row.text("release"), environment: try row.text("environment"), name: try row.text("lane"),
        kind: try row.text("kind"), isMain: try row.unsigned("main") != 0)
      groups[try row.unsigned("lanes")] = (lanes, try FleetSums.Activity(row))
    }
    groups = try rows(.histograms, asked, into: groups) { groups, row in
      let (lanes, bucket) = (try row.unsigned("lanes"), try row.unsigned("bucket"))
      guard bucket < HistogramLayout.bucketCount else { return }
      let duration = HistogramLayout.lowestDuration(at: Int(bucket))
      let count = try row.unsigned("records")
      if try row.unsigned("measure") == 0 {
        groups[lanes]?.activity.spans.record(duration, count: count)
      } else {
        groups[lanes]?.activity.delays.record(duration, count: count)
      }
    }
    return Dictionary(groups.values.map { ($0.lanes, $0.activity) }, uniquingKeysWith: { one, _ in one })
  }

  private func causes(_ filter: FleetFilter) throws -> [FleetSummary.Cause] {
    let asked = FleetParameters(filter)
    let found = try rows(.causes, asked, into: [String: [String: FleetSums.Stalls]]()) { found, row in
      found[try row.text("signature"), default: [:]][try row.text("release")] = try FleetSums.Stalls(row)
    }
    let totals = found.mapValues { $0.values.map(\.total).saturatingSum() }
    let merged = MergedSignatures(totals, try signatures(filter, Set(found.keys))).causes
    var causes = merged.map { known in
      var cause = FleetSummary.Cause(signature: known.signature, absorbed: known.absorbed)
      for key in known.keys {
        for (release, stalls) in found[key] ?? [:] { cause.releases[release, default: .init()].stalls.add(stalls) }
      }
      return cause
    }
    guard !causes.isEmpty else { return [] }
    // Only now is it known what counts as one.
    let numbered = asked.numbering(merged)
    causes = try rows(.reach, numbered, into: causes) { causes, row in
      let (place, instances) = (Int(try row.unsigned("number")) - 1, Int(try row.unsigned("instances")))
      guard causes.indices.contains(place) else { return }
      let release = try row.text("in_release")
      if release.isEmpty {
        causes[place].instances = instances
      } else {
        causes[place].releases[String(release.dropFirst())]?.instances = instances
      }
    }
    return try rows(.hours, numbered, into: causes) { causes, row in
      let place = Int(try row.unsigned("number")) - 1
      guard causes.indices.contains(place) else { return }
      causes[place].instanceHours = Int(try row.unsigned("instance_hours"))
    }
  }
}

extension FleetSummary.Part {
  fileprivate init(_ row: ClickHouseRow) throws {
    let name = try row.text("name")
    let part = try row.text("part")
    switch part {
    case "fleet": self = .fleet
    case "lane": self = .lane(name)
    case "all": self = .all
    case "release": self = .release(name)
    case "environment": self = .environment(name)
    default: throw TabSeparatedReader.Broken(reason: "'\(part)' is no part of a fleet")
    }
  }
}

extension FleetSummary.Spread {
  fileprivate init(_ row: ClickHouseRow) throws {
    self.init()
    instances = Int(clamping: try row.unsigned("instances"))
    let (used, hours) = (Int(clamping: try row.unsigned("used")), Double(try row.unsigned("watched_sum")) / 3_600e9)
    // The squares of nanoseconds, and of a number.
    hangRate = RatioEstimate(
      part: Double(try row.unsigned("hang_sum")) / 1e9, whole: hours, count: used,
      squares: try row.real("hang_squares") / 1e18)
    hangs = RatioEstimate(
      part: Double(try row.unsigned("hangs_sum")), whole: hours, count: used, squares: try row.real("hangs_squares"))
  }
}
