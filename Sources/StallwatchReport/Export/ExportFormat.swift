/// The formats of other tools that a store can be turned into.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// speedscope.app: one sampled profile a loop.
  case speedscope
  /// ui.perfetto.dev and chrome://tracing: Chrome's JSON trace of loops, stalls, samples and lock owners along time.
  case perfetto
  /// profiler.firefox.com: the processed profile format.
  case firefox
  /// Collapsed stacks with microseconds, one a line, for flame graph scripts.
  case collapsed
  /// One stall a line, as JSON with the keys of `stallwatch.stalls/1`.
  case jsonl
  /// Metrics for Prometheus and its kin, as a page to be scraped.
  case openmetrics
}
