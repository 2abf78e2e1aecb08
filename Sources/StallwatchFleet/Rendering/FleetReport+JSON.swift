import StallwatchCore
import StallwatchFormats
import StallwatchReport
import StallwatchStore

/// Durations in nanoseconds, shares 0…1, times RFC 3339 UTC, null for unknown.
extension FleetReport {
  func write(to writer: inout JSONWriter) throws {
    try writer.field("service", service)
    try writer.key("hours")
    if let hours {
      try writer.array(inline: true) { writer in
        try writer.value(Self.time(hours.lowerBound))
        try writer.value(Self.time(hours.upperBound + 1))
      }
    } else {
      try writer.null()
    }
    try writer.list("counted_lanes", lanes) { try $0.value($1) }
    try writer.key("all")
    try Self.write(total, to: &writer)
    try writer.list("releases", releases) { try Self.write($1, to: &$0) }
    try writer.list("environments", environments) { try Self.write($1, to: &$0) }
    try writer.list("lanes", byLane) { try Self.write($1, to: &$0) }
    try writer.list("causes", causes) { try $1.write(to: &$0) }
    try writer.list("worst_instances", worst) { writer, instance in
      try writer.object { writer in
        try writer.field("name", instance.name)
        try writer.field("watched_ns", instance.watched)
        try writer.field("hangs", instance.hangs)
        try writer.field("hang_ns", instance.hang)
        try writer.key("hang_rate")
        try Self.write(instance.hangRate, to: &writer)
      }
    }
    try writer.key("missing")
    try writer.object { writer in
      try writer.field("sessions", missing.sessions.count)
      try writer.field("killed", missing.sessions.killed)
      try writer.field("duration_ns", missing.sessions.duration)
      try writer.field("blind_ns", missing.sessions.unobserved)
      try writer.field("excluded_ns", missing.sessions.excluded)
      try writer.field("stalls", missing.stalls)
      try writer.field("unattributed", missing.unattributed)
      try writer.key("losses")
      try writer.object(inline: true) { writer in
        for (what, count) in missing.sessions.losses.sorted(by: { $0.key < $1.key }) { try writer.field(what, count) }
      }
    }
  }

  private static func time(_ hour: UInt64) -> String { Timestamp.rfc3339(hour.saturatingMultiply(by: HourGrid.length)) }

  private static func write(_ group: Group, to writer: inout JSONWriter) throws {
    let activity = group.activity
    try writer.object { writer in
      try writer.field("name", group.name)
      try writer.field("instances", group.instances)
      try writer.field("watched_ns", activity.watched)
      try writer.field("busy_ns", activity.busy)
      try writer.field("iterations", activity.iterations)
      try writer.field("stalls", activity.stalls)
      try writer.field("stalled_ns", activity.stalled)
      try writer.field("hangs", activity.hangs)
      try writer.field("hang_ns", activity.hang)
      try writer.field("worst_ns", activity.worst)
      try writer.key("hang_rate")
      try write(group.hangRate, to: &writer)
      try writer.key("hangs_per_hour")
      try write(group.hangs, to: &writer)
      try writer.key("span_ns")
      try write(activity.spans, to: &writer)
      try writer.key("delay_ns")
      try write(activity.delays, to: &writer)
    }
  }

  private static func write(_ estimate: RatioEstimate?, to writer: inout JSONWriter) throws {
    guard let estimate else { return try writer.null() }
    try writer.object(inline: true) { writer in
      try writer.field("value", estimate.value)
      try writer.field("low", estimate.low)
      try writer.field("high", estimate.high)
    }
  }

  private static func write(_ histogram: DurationHistogram, to writer: inout JSONWriter) throws {
    guard histogram.totalCount > 0 else { return try writer.null() }
    try writer.object(inline: true) { writer in
      for (key, percent) in [("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9)] {
        try writer.field(key, histogram.value(atPercentile: percent))
      }
      try writer.field("count", histogram.totalCount)
    }
  }
}

extension FleetCauses {
  func write(to writer: inout JSONWriter) throws {
    try writer.field("service", service)
    try writer.field("instances", instances)
    try writer.list("releases", releases) { try $0.value($1) }
    try writer.list("causes", items) { try $1.write(to: &$0) }
  }
}

extension FleetCauses.Item {
  func write(to writer: inout JSONWriter) throws {
    try writer.object { try fields(to: &$0) }
  }

  func fields(to writer: inout JSONWriter) throws {
    let signature = cause.signature
    try writer.field("signature", signature.signature)
    try writer.field("title", signature.title)
    try writer.field("function", signature.function.isEmpty ? nil : signature.function)
    try writer.field("file", signature.file.isEmpty ? nil : signature.file)
    try writer.field("line", signature.line > 0 ? signature.line : nil)
    try writer.list("absorbed", cause.absorbed.sorted()) { try $0.value($1) }
    try writer.field("state", state.rawValue)
    try writer.field("instances", cause.instances)
    try writer.field("share", share)
    try writer.field("instance_hours", cause.instanceHours)
    try writer.field("stalls", stalls.count)
    try writer.field("total_ns", stalls.total)
    try writer.field("worst_ns", stalls.worst)
    try writer.field("first_seen", stalls.count > 0 ? Timestamp.rfc3339(stalls.first) : nil)
    try writer.field("last_seen", stalls.count > 0 ? Timestamp.rfc3339(stalls.last) : nil)
    try writer.list("releases", releases) { try $0.value($1) }
  }
}

extension FleetCauseDetail {
  func write(to writer: inout JSONWriter) throws {
    try writer.field("service", service)
    try writer.key("cause")
    try item.write(to: &writer)
    for (key, parts) in [("releases", releases), ("instances", instances)] {
      try writer.list(key, parts) { writer, part in
        try writer.object { writer in
          try writer.field("name", part.name)
          try writer.field("instances", part.instances)
          try writer.field("of_instances", part.ofInstances)
          try writer.field("stalls", part.stalls.count)
          try writer.field("total_ns", part.stalls.total)
          try writer.field("worst_ns", part.stalls.worst)
          try writer.field("per_hour", part.rate)
        }
      }
    }
    try writer.list("stacks", stacks) { writer, stack in
      try writer.object(inline: true) { writer in
        try writer.field("frames", stack.frames.joined(separator: ";"))
        try writer.field("looks", stack.looks)
        try writer.field("weight_ns", stack.weight)
      }
    }
    try writer.list("examples", examples) { writer, stall in
      try writer.object { writer in
        try writer.field("id", stall.id)
        try writer.field("instance", stall.unit.instance)
        try writer.field("release", stall.unit.release)
        try writer.field("environment", stall.unit.environment)
        try writer.field("lane", stall.lane)
        try writer.field("started_at", Timestamp.rfc3339(stall.started))
        try writer.field("duration_ns", stall.duration)
        try writer.field("store", stall.store)
        try writer.field("command", stall.command)
      }
    }
  }
}
