import StallwatchCore
import StallwatchReport
import StallwatchStore

/// Metric families by name, with values summed by label.
struct MetricFamilies {
  /// The buckets' upper bounds in seconds. They include the severities, so that alerts can count from those.
  static let bounds: [Double] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.016667, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30,
  ]

  /// A metric's name, with its type and meaning.
  enum Family: String, CaseIterable {
    case sessions = "stallwatch_sessions"
    case watched = "stallwatch_watched_seconds"
    case busy = "stallwatch_loop_busy_seconds"
    case waiting = "stallwatch_loop_waiting_seconds"
    case iterations = "stallwatch_loop_iterations"
    case spans = "stallwatch_span_seconds"
    case gaps = "stallwatch_gap_seconds"
    case stalls = "stallwatch_stalls"
    case stallTime = "stallwatch_stall_seconds"
    case causes = "stallwatch_stall_cause_seconds"
    case fired = "stallwatch_timer_fires"
    case dropped = "stallwatch_timer_dropped_fires"
    case lateness = "stallwatch_timer_lateness_seconds"
    case drift = "stallwatch_drift_lateness_seconds"
    case losses = "stallwatch_lost_records"
    case blind = "stallwatch_blind_seconds"
    case excluded = "stallwatch_excluded_seconds"
    case monitor = "stallwatch_monitor_cpu_seconds"
    case leftOut = "stallwatch_left_out"

    fileprivate enum Kind: String { case counter, gauge, histogram }

    fileprivate var kind: Kind {
      switch self {
      case .sessions, .drift, .leftOut: .gauge
      case .spans, .gaps, .lateness: .histogram
      default: .counter
      }
    }

    fileprivate var help: String {
      switch self {
      case .sessions: "Sessions in the store, by how they ended."
      case .watched: "Time for which processes were watched."
      case .busy: "Time that a loop spent in runs without waiting."
      case .waiting: "Time that a loop spent waiting."
      case .iterations: "Iterations of a loop."
      case .spans: "Time between two heartbeats of a loop without a wait."
      case .gaps: "Time from beforeSources to afterWaiting, including the wait."
      case .stalls:
        "Stalls, congestion (busy runs of that length without a stall), and times away from the loop, by severity."
      case .stallTime: "Total duration of stalls, congestion and times away."
      case .causes: "Watched time of stalls: on a processor, blocked in the kernel, or runnable without a processor."
      case .fired: "Callouts of a timer."
      case .dropped: "Due times of a timer that no callout served."
      case .lateness: "How late a timer's callouts began."
      case .drift: "Lateness percentiles of a run loop and of the GCD timer beside it, in the worst session."
      case .losses: "Records that did not fit, by buffer."
      case .blind: "Unobserved time: the process ran, but the monitor could not see it."
      case .excluded: "Time for which the process or the machine did not run."
      case .monitor: "CPU time of the monitor's own threads."
      case .leftOut: "Loops and timers with less trouble that this page leaves out."
      }
    }
  }

  /// Labels as text. Metrics with the same labels are summed.
  private typealias Labels = String

  private var values: [Family: [Labels: Double]] = [:]
  private var histograms: [Family: [Labels: StoredMetric]] = [:]

  /// Adds `value` to a counter or gauge.
  mutating func add(_ family: Family, _ value: Double, _ labels: [(String, String)]) {
    values[family, default: [:]][Self.text(labels), default: 0] += value
  }

  /// Sets a gauge to the largest value given.
  mutating func raise(_ family: Family, _ value: Double, _ labels: [(String, String)]) {
    let text = Self.text(labels)
    values[family, default: [:]][text] = max(values[family]?[text] ?? 0, value)
  }

  /// Adds a distribution.
  mutating func add(_ family: Family, _ metric: StoredMetric, _ labels: [(String, String)]) {
    let text = Self.text(labels)
    histograms[family, default: [:]][text] = StoredMetric(
      merging: [histograms[family]?[text], metric].compactMap(\.self))
  }

  /// Writes all families that have values, and the end mark.
  func write(into sink: TextSink) throws {
    for family in Family.allCases {
      let (values, histograms) = (values[family] ?? [:], histograms[family] ?? [:])
      guard !values.isEmpty || !histograms.isEmpty else { continue }
      try sink("# TYPE \(family.rawValue) \(family.kind.rawValue)\n")
      if family.rawValue.hasSuffix("_seconds") { try sink("# UNIT \(family.rawValue) seconds\n") }
      try sink("# HELP \(family.rawValue) \(family.help)\n")
      let suffix = family.kind == .counter ? "_total" : ""
      for (labels, value) in values.sorted(by: { $0.key < $1.key }) {
        try sink("\(family.rawValue)\(suffix)\(braced(labels)) \(Self.number(value))\n")
      }
      for (labels, metric) in histograms.sorted(by: { $0.key < $1.key }) {
        try write(metric, of: family, labels: labels, into: sink)
      }
    }
    try sink("# EOF\n")
  }

  private func write(_ metric: StoredMetric, of family: Family, labels: Labels, into sink: TextSink) throws {
    let name = family.rawValue
    let comma = labels.isEmpty ? "" : ","
    for (bound, count) in Self.cumulative(metric) {
      try sink("\(name)_bucket{\(labels)\(comma)le=\"\(bound)\"} \(count)\n")
    }
    try sink("\(name)_bucket{\(labels)\(comma)le=\"+Inf\"} \(metric.count)\n")
    try sink("\(name)_count\(braced(labels)) \(metric.count)\n")
    try sink("\(name)_sum\(braced(labels)) \(Self.number(Double(metric.total) / 1e9))\n")
  }

  /// The number of samples up to each bound. Samples in the counter that contains a bound count as within it.
  private static func cumulative(_ metric: StoredMetric) -> [(bound: Double, count: UInt64)] {
    var (index, count): (Int, UInt64) = (0, 0)
    let last = metric.count > 0 ? HistogramLayout.index(of: metric.maximum) : -1
    return bounds.map { bound in
      let end = min(HistogramLayout.index(of: Nanoseconds(bound * 1e9)), last)
      while index <= end {
        count = count.saturatingAdd(metric.histogram.count(at: index))
        index += 1
      }
      return (bound, min(count, metric.count))
    }
  }

  private func braced(_ labels: Labels) -> String { labels.isEmpty ? "" : "{\(labels)}" }

  /// The longest label value, in columns. A longer name is cut.
  private static let longestLabel = 120

  private static func text(_ labels: [(String, String)]) -> Labels {
    labels.map { name, value in
      let shown = DisplayText.name(value, to: longestLabel)
      let escaped = DisplayText.replaced(shown) { $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }
      return "\(name)=\"\(escaped)\""
    }.joined(separator: ",")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : value.description
  }
}
