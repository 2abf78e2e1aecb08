import StallwatchCore
import StallwatchReport

/// What a comparison says, in sentences.
package enum ComparisonWords {
  /// What is new or worse, what is gone or better, and what the sessions could show.
  package static func verdict(_ comparison: Comparison) -> String {
    guard !comparison.changes.isEmpty else {
      return "Nothing to compare: no stall was sampled and the sides share no mode."
    }
    let findings = comparison.findings
    let lists: [(word: String, verdict: Comparison.Verdict)] = [
      ("New", .new), ("Worse", .worse), ("Better", .better), ("Gone", .gone),
    ]
    var parts = lists.compactMap { word, verdict in
      names(findings.filter { $0.verdict == verdict }.map(\.name)).map { "\(word): \($0)." }
    }
    parts += comparison.isBySession ? bySession(comparison) : recordingsAlone(comparison)
    return parts.joined(separator: " ")
  }

  /// What the sides are called where they are compared as they are.
  static func recordings(_ comparison: Comparison) -> String {
    comparison.base.sessions == 1 && comparison.new.sessions == 1 ? "these two recordings" : "these recordings"
  }

  private static func bySession(_ comparison: Comparison) -> [String] {
    var parts: [String] = []
    let sides = Figure.list([comparison.base.sessions, comparison.new.sessions].map { Figure.count($0) })
    let confidence = Figure.share(comparison.confidence)
    if !comparison.canShow {
      let most = Figure.share(1 - (comparison.leastChance ?? 1))
      let needed = comparison.neededSessions
      parts.append(
        "\(sides) \(comparison.unit)s can show a change with \(most) confidence at most, and \(confidence) is asked for: record "
          + "\(needed) a side.")
    } else if comparison.findings.isEmpty {
      parts.append("No change is shown with \(confidence) confidence, by \(sides) \(comparison.unit)s.")
      let widest = comparison.changes.first { $0.visible != nil }
      if let widest, let visible = widest.visible {
        parts.append("A change of \(widest.name), \(widest.measure), by \(percent(visible)) would have been.")
      }
    }
    return parts + [speed(comparison)].compactMap(\.self)
  }

  private static func recordingsAlone(_ comparison: Comparison) -> [String] {
    let clear = comparison.changes.filter { isClear($0, in: comparison) }.sorted { size($0) > size($1) }
    var parts: [String] = []
    let place = "Between \(recordings(comparison))"
    if let first = clear.first, let ratio = first.ratio {
      let rest = clear.count > 1 ? ", and \(Figure.count(clear.count - 1, "other figure")) differ" : ""
      parts.append(
        "\(place), \(first.name): \(first.measure) \(change(ratio)) (\(interval(ratio)) within them)\(rest).")
    } else {
      let least = Figure.share(comparison.leastChange)
      parts.append("\(place), no figure that both have is shown to differ by \(least).")
    }
    if let speed = speed(comparison) { parts.append(speed) }
    let needed = comparison.neededSessions
    parts.append("Other runs may differ as much: record \(Figure.count(needed)) \(comparison.unit)s a side to know.")
    return parts
  }

  /// What all durations have in common, where it is more than chance makes; nil where it is not, or is a finding
  /// itself.
  static func speed(_ comparison: Comparison) -> String? {
    guard let speed = comparison.speed, speed.verdict == .notShown, let ratio = speed.ratio,
      (ratio.low ?? 0) > 1 || (ratio.high ?? .infinity) < 1, max(ratio.value, 1 / ratio.value) >= 1.02
    else { return nil }
    let word = ratio.value > 1 ? "longer" : "shorter"
    let share = Figure.share(ratio.value > 1 ? ratio.value - 1 : 1 - ratio.value)
    return
      "All durations together are \(share) \(word), as a \(ratio.value > 1 ? "slower" : "faster") machine makes them: "
      + "what is found is beyond that."
  }

  /// Whether a figure differs by enough to matter within the recordings.
  static func isClear(_ change: Comparison.Change, in comparison: Comparison) -> Bool {
    guard change.verdict == .notShown, let ratio = change.ratio else { return false }
    let isOneWay = (ratio.low ?? 0) > 1 || (ratio.high ?? .infinity) < 1
    return isOneWay && max(ratio.value, 1 / ratio.value) >= 1 + comparison.leastChange
  }

  /// How much a figure differs, whatever the direction.
  static func size(_ change: Comparison.Change) -> Double {
    change.ratio.map { max($0.value, 1 / $0.value) } ?? 0
  }

  /// `+23 %`, `−8.0 %`, `× 2.5`.
  static func change(_ ratio: Comparison.Ratio) -> String { factor(ratio.value) }

  /// `+15 % to +32 %`.
  static func interval(_ ratio: Comparison.Ratio) -> String {
    guard ratio.low != nil || ratio.high != nil else { return Figure.unknown }
    let (low, high) = (ratio.low.map(factor) ?? "any less", ratio.high.map(factor) ?? "any more")
    return "\(low) to \(high)"
  }

  /// `±14 %`, from a factor above 1.
  static func percent(_ factor: Double) -> String {
    factor >= 3 ? "× \(Figure.rate(factor))" : Figure.share(factor - 1)
  }

  /// A factor as a change.
  static func factor(_ factor: Double) -> String {
    if factor >= 2 || (factor <= 0.5 && factor > 0) {
      return factor >= 2 ? "× \(Figure.rate(factor))" : "÷ \(Figure.rate(1 / factor))"
    }
    return "\(factor >= 1 ? "+" : "−")\(Figure.share((factor - 1).magnitude))"
  }

  /// Some of the names, and how many more there are; nil for none.
  private static func names(_ all: [String]) -> String? {
    var names: [String] = []
    for name in all where !names.contains(name) { names.append(name) }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(3).map { DisplayText.name($0, to: 90) }
    return Figure.list(names.count > 3 ? shown + ["\(Figure.count(names.count - 3)) more"] : shown)
  }
}
