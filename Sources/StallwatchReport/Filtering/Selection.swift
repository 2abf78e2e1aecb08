import StallwatchCore
import StallwatchStore

/// What a filter lets through of a store, and which figures it leaves whole.
package struct Selection: Sendable, Equatable {
  /// Figures that some filters cannot cut.
  package enum Part: String, CaseIterable, Sendable {
    /// The time of loops and modes, their iterations, and all that is derived from their spans.
    case loops
    /// Percentiles, maxima and sums of spans, gaps and phases; runs entered; starvation; jank.
    case percentiles
    case timers, drift, profiles
    /// What the monitor cost and lost.
    case health

    /// The name in texts.
    package var words: String {
      switch self {
      case .loops: "figures of loops and modes"
      case .percentiles: "percentiles, phases, gaps"
      case .timers: "timers"
      case .drift: "drift"
      case .profiles: "profiles"
      case .health: "the monitor's cost and losses"
      }
    }
  }

  package let filter: StoreFilter

  /// What the filter lets through; nil where that is everything.
  init?(_ filter: StoreFilter) {
    guard !filter.isEmpty else { return nil }
    self.filter = filter
  }

  /// The parts that the filter leaves whole: they are those of all time and all modes of the sessions and loops that it
  /// lets through.
  package var whole: [Part] {
    var parts: Set<Part> = []
    if filter.isCutByTime { parts.formUnion([.timers, .profiles, .health]) }
    if !filter.loops.isEmpty { parts.insert(.health) }
    if !filter.modes.isEmpty { parts.formUnion([.timers, .drift, .profiles, .health]) }
    if filter.choosesStalls { parts.formUnion([.loops, .percentiles, .timers, .drift, .profiles, .health]) }
    return Part.allCases.filter(parts.contains)
  }

  /// The parts that are of all windows that touch the range of time.
  package var ofWindows: [Part] {
    filter.isCutByTime ? [.percentiles, .drift].filter { !whole.contains($0) } : []
  }

  /// What was chosen, in words.
  package var words: String {
    var words: [String] = []
    if let since = filter.since { words.append("from \(Timestamp.readable(since))") }
    if let until = filter.until { words.append("until \(Timestamp.readable(until))") }
    let names = { (what: String, names: [String]) in
      if !names.isEmpty {
        words.append("\(what) \(names.map { DisplayText.name($0, to: 60) }.joined(separator: " or "))")
      }
    }
    names("session", filter.sessions.map { String($0) })
    for name in SessionLabels.Name.allCases { names(name.rawValue, filter.labels?.names[name] ?? []) }
    names("tag", filter.labels?.tags.map(\.description) ?? [])
    names("loop", filter.loops)
    names("mode", filter.modes)
    names("cause", filter.activities.map(\.rawValue) + (filter.causes?.names ?? []))
    for annotation in filter.annotations { names("annotation", ["\(annotation.key)=\(annotation.value)"]) }
    if filter.leastDuration > 0 { words.append("stalls of \(Figure.duration(filter.leastDuration)) or more") }
    return words.joined(separator: ", ")
  }

  /// One paragraph: what was chosen, and what is not cut that way.
  package var text: String {
    var text = "Only \(words)."
    if filter.isCutByTime { text += " A stall that reaches into that time counts with its whole duration." }
    if !ofWindows.isEmpty { text += " Of the windows that touch it: \(Figure.list(ofWindows.map(\.words)))." }
    if !whole.isEmpty { text += " Not cut that way: \(Figure.list(whole.map(\.words)))." }
    return text
  }
}
