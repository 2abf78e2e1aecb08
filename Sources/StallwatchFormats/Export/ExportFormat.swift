import StallwatchReport

/// The formats of other tools to which a store can be exported.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// speedscope.app: sampled profiles of each loop.
  case speedscope
  /// ui.perfetto.dev and chrome://tracing: Chrome's JSON trace of loops, stalls, samples and lock owners over time.
  case perfetto
  /// profiler.firefox.com: the processed profile format.
  case firefox
  /// pprof (`go tool pprof`, pprof.me and others): a gzip file of a protocol buffer.
  case pprof
  /// Collapsed stacks with microseconds, one per line, for flame graph scripts.
  case collapsed
  /// One stall per line, as JSON with the keys of `stallwatch.stalls/1`.
  case jsonl
  /// A page of metrics for Prometheus and compatible scrapers.
  case openmetrics
  /// The same in Prometheus's own text format, for tools that read nothing else.
  case prometheus

  /// Whether it is text; ``StoreExport/bytes(_:)`` makes the others.
  package var isText: Bool { self != .pprof }
}
