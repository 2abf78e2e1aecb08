import StallwatchCore
import StallwatchReport
import StallwatchStore

/// What a pruning removed, as text and as `stallwatch.prune/1`.
package enum PruneRenderer {
  /// The JSON schema's name and version.
  package static let schema = "stallwatch.prune/1"

  /// For people.
  package static func text(_ outcome: StorePruner.Outcome, isRehearsal: Bool) -> String {
    var lines: [String] = []
    for removed in outcome.removed {
      let what = RemovedWords.text(removed.what, count: removed.count)
      lines.append("\(isRehearsal ? "would be " : "")\(what), because of \(removed.reason.rawValue)")
    }
    if lines.isEmpty { lines = ["nothing to remove"] }
    let verb = isRehearsal ? "would be used" : "used"
    lines.append("\(Figure.size(outcome.usedBefore)) used before, \(Figure.size(outcome.usedAfter)) \(verb) now")
    if outcome.running > 0 {
      lines.append("\(Figure.count(outcome.running, "session")) still being recorded, left to the monitor there")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// For scripts. Throws what `sink` throws.
  package static func json(_ outcome: StorePruner.Outcome, isRehearsal: Bool, into sink: @escaping TextSink) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", schema)
      try writer.key("dry_run")
      try writer.value(isRehearsal)
      try writer.field("used_before", outcome.usedBefore)
      try writer.field("used_after", outcome.usedAfter)
      try writer.field("running", outcome.running)
      try writer.list("removed", outcome.removed) { writer, removed in
        try writer.object(inline: true) {
          try $0.field("what", removed.what.rawValue)
          try $0.field("reason", removed.reason.rawValue)
          try $0.field("count", removed.count)
        }
      }
    }
    try writer.finish()
  }
}

/// Words for what was removed.
enum RemovedWords {
  /// `120 samples removed`, `3 windows of time made coarser`.
  static func text(_ what: Removed.What, count: Int64) -> String {
    switch what {
    case .cells: "\(Figure.count(count, "window")) of time made coarser"
    case .histograms: "\(Figure.count(count, "histogram")) made coarser"
    case .samples: "\(Figure.count(count, "sample")) removed"
    case .ticks: "\(Figure.count(count, "tick")) removed"
    case .stalls: "\(Figure.count(count, "stall")) removed"
    case .windows: "\(Figure.count(count, "window")) removed"
    case .profiles: "\(Figure.count(count, "profiled stack")) removed"
    case .sessions: "\(Figure.count(count, "session")) removed"
    }
  }
}
