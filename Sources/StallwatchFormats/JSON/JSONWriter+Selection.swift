import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// Writes what of a store an answer is about, and the figures that are not cut that way; null for all of the store.
  mutating func selection(_ key: String, _ selection: Selection?) throws {
    try self.key(key)
    guard let selection else { return try null() }
    let filter = selection.filter
    try object { writer in
      try writer.field("since", filter.since.map(Timestamp.rfc3339))
      try writer.field("until", filter.until.map(Timestamp.rfc3339))
      try writer.key("sessions")
      try writer.array(inline: true) { for session in filter.sessions { try $0.value(session) } }
      for (key, name) in Self.labels { try writer.texts(key, filter.labels?.names[name] ?? []) }
      try writer.texts("tags", filter.labels?.tags.map(\.description) ?? [])
      try writer.texts("loops", filter.loops)
      try writer.texts("modes", filter.modes)
      try writer.texts("causes", filter.activities.map(\.rawValue) + (filter.causes?.names ?? []))
      try writer.texts("annotations", filter.annotations.map { "\($0.key)=\($0.value)" })
      try writer.field("min_duration_ns", filter.leastDuration)
      try writer.texts("not_cut", selection.whole.map(\.rawValue))
      try writer.texts("of_windows", selection.ofWindows.map(\.rawValue))
    }
  }

  private static let labels: [(key: String, name: SessionLabels.Name)] = [
    ("services", .service), ("releases", .release), ("environments", .environment), ("instances", .instance),
  ]

  private mutating func texts(_ key: String, _ texts: [String]) throws {
    try self.key(key)
    try array(inline: true) { for text in texts { try $0.value(text) } }
  }
}
