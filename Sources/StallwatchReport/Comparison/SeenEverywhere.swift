import StallwatchCore
import StallwatchLibc

/// From which duration on a span is a stall in every session.
///
/// A span of 46 ms on one machine is none, and the same span takes 51 ms on one that is 10 % slower. So a session
/// counts only what would have been a stall on the fastest of them, and with the highest threshold.
enum SeenEverywhere {
  /// The fewest causes that are a measure of a session's machine.
  private static let fewest = 4

  /// The least duration that counts, session by session.
  static func floors(
    _ sessions: [ComparedSession], _ figures: FigureQuestions, _ configuration: ComparisonConfiguration
  ) -> [Nanoseconds] {
    let highest = sessions.map(\.threshold).max() ?? 0
    // What the threshold cuts off tells less than the whole difference: spans tell, and stalls well beyond it.
    var speed = CommonSpeed(sessions: sessions.count)
    for (_, subject) in figures.modes { _ = speed.add(spansOf: subject) }
    let keys = sessions.reduce(into: Set<String>()) { $0.formUnion($1.causes.keys) }
    let well = Nanoseconds(Double(highest) * (1 + configuration.machineAllowance))
    let beyond = keys.filter { isBeyond(well, $0, sessions) }
    // A few of those would be no measure: then the others tell what they can.
    for key in (beyond.count < fewest ? keys : beyond).sorted() {
      let spread = sessions.compactMap { $0.causes[key]?.spread }.reduce(into: DurationSpread()) { $0 += $1 }
      _ = speed.add(sessions.map { $0.causes[key].flatMap { Level($0.sums(from: 0), spread: spread) } })
    }
    guard let estimate = speed.estimate() else { return sessions.map { max($0.threshold, highest) } }
    let common = estimate.logarithms.map { $0 * estimate.reliability }
    let scaled = zip(sessions, common).map { Double($0.threshold) / exp($1) }
    let fastest = scaled.max() ?? 0
    let most = Double(highest) * (1 + configuration.machineAllowance)
    return zip(sessions, common).map { session, common in
      max(Nanoseconds(min(fastest * exp(common), most)), session.threshold)
    }
  }

  /// Whether nine in ten stalls of a cause are longer than this.
  private static func isBeyond(_ duration: Nanoseconds, _ key: String, _ sessions: [ComparedSession]) -> Bool {
    let causes = sessions.compactMap { $0.causes[key] }
    let all = causes.reduce(0.0) { $0 + Double($1.count) }
    return causes.reduce(0.0) { $0 + $1.sums(from: duration).count } >= 0.9 * all
  }
}

extension CommonSpeed {
  /// Adds the spans of a mode. Its quantiles together count as one subject. Returns their numbers. What takes less than
  /// a millisecond is left out: how long a loop that does nothing takes for that says little of the machine.
  mutating func add(spansOf subject: FigureQuestions.Subject) -> Set<Int> {
    let numbers = Quantile.compared.compactMap { quantile -> Int? in
      let levels = FigureQuestions.levels("span", quantile, of: subject)
      let known = levels.compactMap { $0?.logarithm }
      guard !known.isEmpty, known.reduce(0, +) / Double(known.count) >= log(1e6) else { return nil }
      return add(levels, share: 1 / Double(Quantile.compared.count))
    }
    return Set(numbers)
  }
}
