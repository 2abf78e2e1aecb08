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
  struct Family: Hashable {
    enum Kind: String { case counter, gauge, histogram }

    var name: String
    var kind: Kind
    var help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
      (self.name, self.kind, self.help) = ("stallwatch_\(name)", kind, help)
    }

    /// The family of a measure that is exported under `name`; the help is the measure's words.
    init<Subject, Stored>(_ measure: Measure<Subject, Stored>, name: String) {
      let unit = measure.unit == .duration ? "_seconds" : ""
      let isSum = measure.unit == .duration || measure.unit == .count
      let words = measure.words.filter { $0 != "`" }
      self.init(
        name + unit, measure.isDistribution ? .histogram : isSum ? .counter : .gauge,
        words.prefix(1).uppercased() + words.dropFirst() + ".")
    }

    static let sessions = Family("sessions", .gauge, "Sessions in the store, by how they ended.")
    static let watched = Family("watched_seconds", .counter, "Time for which processes were watched.")
    static let stalls = Family(
      "stalls", .counter,
      "Stalls that are over, congestion (busy runs of that length without a stall), and times away from the loop, by "
        + "severity.")
    static let openStalls = Family("open_stalls", .gauge, "Stalls, congestion and times away that go on.")
    static let stallTime = Family(
      "stall_seconds", .counter, "Total duration of stalls, congestion and times away.")
    static let causes = Family(
      "stall_cause_seconds", .counter,
      "Watched time of stalls: on a processor, blocked in the kernel, or runnable without a processor.")
    static let losses = Family("lost_records", .counter, "Records that did not fit, by buffer.")
    static let leftOut = Family(
      "left_out", .gauge, "Loops and timers with less trouble that this page leaves out.")

    /// The family of the drift probe's distributions, each under a label.
    static func drift(_ name: String) -> Family {
      Family(
        name + "_seconds", .gauge,
        "Lateness percentiles of a run loop and of the GCD timer beside it, in the worst session.")
    }
  }

  /// How a page is written.
  enum Syntax {
    /// OpenMetrics 1.0: a counter's family has the name without `_total`.
    case openMetrics
    /// Prometheus's text format 0.0.4, which `promtool check metrics` reads: a family has the name of its samples.
    case prometheus
  }

  /// Labels as text. Metrics with the same labels are summed.
  private typealias Labels = String

  /// The families in the order in which they came.
  private var families: [Family] = []
  private var values: [Family: [Labels: Double]] = [:]
  private var histograms: [Family: [Labels: StoredMetric]] = [:]

  /// Adds `value` to a counter or gauge.
  mutating func add(_ family: Family, _ value: Double, _ labels: [(String, String)]) {
    take(family)
    values[family, default: [:]][Self.text(labels), default: 0] += value
  }

  /// Sets a gauge to the largest value given.
  mutating func raise(_ family: Family, _ value: Double, _ labels: [(String, String)]) {
    take(family)
    let text = Self.text(labels)
    values[family, default: [:]][text] = max(values[family]?[text] ?? 0, value)
  }

  /// Adds a distribution.
  mutating func add(_ family: Family, _ metric: StoredMetric, _ labels: [(String, String)]) {
    take(family)
    let text = Self.text(labels)
    histograms[family, default: [:]][text] = StoredMetric(
      merging: [histograms[family]?[text], metric].compactMap(\.self))
  }

  private mutating func take(_ family: Family) {
    if values[family] == nil, histograms[family] == nil { families.append(family) }
  }

  /// Writes all families that have values, and the end mark.
  func write(_ syntax: Syntax, into sink: TextSink) throws {
    for family in families {
      let (values, histograms) = (values[family] ?? [:], histograms[family] ?? [:])
      let suffix = family.kind == .counter ? "_total" : ""
      let name = syntax == .prometheus ? family.name + suffix : family.name
      try sink("# TYPE \(name) \(family.kind.rawValue)\n")
      if syntax == .openMetrics, name.hasSuffix("_seconds") { try sink("# UNIT \(name) seconds\n") }
      try sink("# HELP \(name) \(family.help)\n")
      for (labels, value) in values.sorted(by: { $0.key < $1.key }) {
        try sink("\(family.name)\(suffix)\(braced(labels)) \(Self.number(value))\n")
      }
      for (labels, metric) in histograms.sorted(by: { $0.key < $1.key }) {
        try write(metric, of: family, labels: labels, into: sink)
      }
    }
    if syntax == .openMetrics { try sink("# EOF\n") }
  }

  private func write(_ metric: StoredMetric, of family: Family, labels: Labels, into sink: TextSink) throws {
    let name = family.name
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

  /// A label's value as the page shows it. What is shown alike is one.
  static func shown(_ value: String) -> String { DisplayText.name(value, to: longestLabel) }

  private static func text(_ labels: [(String, String)]) -> Labels {
    labels.map { name, value in
      let escaped = DisplayText.replaced(shown(value)) { $0 == "\\" || $0 == "\"" ? "\\\($0)" : nil }
      return "\(name)=\"\(escaped)\""
    }.joined(separator: ",")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : value.description
  }
}
