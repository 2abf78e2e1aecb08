import StallwatchReport

/// All stalls as `stallwatch.stalls/1`: the counts, then `items`, one stall per line, in the order of their start.
package struct StallsJSONRenderer: Sendable {
  /// The schema's name and version.
  package static let schema = "stallwatch.stalls/1"

  package init() {}

  /// Writes the stalls of `lister` into `sink`, above them the figures of `catalog`. Throws what reading and `sink`
  /// throw.
  package func render(
    _ lister: StallLister<some StoreContents>, catalog: Catalog = .standard, into sink: @escaping TextSink
  ) throws {
    var writer = JSONWriter(to: sink)
    try writer.object { writer in
      try writer.field("schema", Self.schema)
      try writer.selection("filter", lister.selection)
      try writer.fields(catalog.stalls, of: StallFigures(counts: lister.counts))
      try writer.key("items")
      try writer.array { writer in
        try lister.forEach(analyzing: true) { try writer.stall($0) }
      }
    }
    try writer.finish()
  }
}
