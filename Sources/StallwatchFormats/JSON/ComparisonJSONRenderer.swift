import StallwatchCore
import StallwatchReport

/// A comparison as `stallwatch.diff/2`: rates per hour, durations in nanoseconds, shares 0…1, null for unknown.
package struct ComparisonJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.diff/2"

  package init() {}

  /// Writes `comparison` into `sink`. Throws what `sink` throws.
  package func render(_ comparison: Comparison, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try Self.write(comparison, to: &writer)
    }
    try writer.finish()
  }

  /// Writes all keys of a comparison but that of the schema.
  package static func write(_ comparison: Comparison, to writer: inout JSONWriter) throws {
    try writer.field("verdict", ComparisonWords.verdict(comparison))
    try writer.field("regression", comparison.isRegression)
    try writer.field("confidence", comparison.confidence)
    try writer.field("by_session", comparison.isBySession)
    try writer.field("least_chance", comparison.leastChance)
    try writer.field("stall_floor_ns", comparison.floor)
    try writer.key("all_durations")
    try Self.write(comparison.speed?.ratio, to: &writer)
    for (name, side) in [("base", comparison.base), ("new", comparison.new)] {
      try writer.key(name)
      try writer.object { writer in
        try writer.list("stores", side.stores) { try $0.value($1) }
        try writer.field("sessions", side.sessions)
        try writer.field("repeated_sessions", side.repeated)
        try writer.field("loop_seconds", side.loopSeconds)
        try writer.field("iterations", side.iterations)
        try writer.field("stall_count", side.stalls.count)
        try writer.field("stall_total_ns", side.stalls.total)
        try writer.labels(side.labels)
      }
    }
    try writer.list("changes", comparison.changes) { try Self.write($1, to: &$0) }
  }

  private static func write(_ change: Comparison.Change, to writer: inout JSONWriter) throws {
    try writer.object { writer in
      try writer.field("verdict", change.verdict.rawValue)
      try writer.field("subject", change.subject)
      try writer.field("sentence", change.sentence)
      try writer.field("signature", change.signature)
      try writer.field("question", change.question.key)
      try writer.field("percentile", change.quantile?.share)
      try writer.field("base", change.base)
      try writer.field("new", change.new)
      try writer.field("base_count", change.counts.base)
      try writer.field("new_count", change.counts.new)
      try writer.field("base_held_ns", change.held?.base)
      try writer.field("new_held_ns", change.held?.new)
      try writer.key("ratio")
      try write(change.ratio, to: &writer)
      try writer.field("relative", change.relative)
      try writer.field("visible", change.visible)
      try writer.field("needed_count", change.needed)
      try writer.field("hidden_count", change.isOneSided ? change.hidden : nil)
      try writer.field("chance", change.chance)
      try writer.field("worst_stall", change.worst?.stall)
      try writer.field("worst_store", change.worst?.store)
    }
  }

  /// Writes a factor with its interval, or null.
  private static func write(_ ratio: Comparison.Ratio?, to writer: inout JSONWriter) throws {
    guard let ratio else { return try writer.value(Double?.none) }
    try writer.object { writer in
      try writer.field("value", ratio.value)
      try writer.field("low", ratio.low)
      try writer.field("high", ratio.high)
    }
  }
}
