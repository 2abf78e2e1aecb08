import StallwatchCore
import StallwatchStore

/// The report's answer in plain words, worst first.
package struct Verdict: Sendable, Equatable {
  /// How a recording went, in one word.
  package enum Rank: String, Sendable {
    /// No loop ran under watch, so nothing can be said.
    case nothingObserved = "nothing-observed"
    /// No stall and no congestion.
    case healthy
    /// No stall, but busy runs of at least the threshold.
    case congested
    /// No stall, but the main thread was away from its loop while something was due there.
    case away
    /// At least one stall.
    case stalled
  }

  package var rank: Rank
  /// Whole sentences, the most important first. Names from the program are cut to 48 columns.
  package var sentences: [String]

  /// The sentences as one paragraph.
  package var text: String { sentences.joined(separator: " ") }

  init(_ report: Report) {
    let observed = report.loops.filter(\.wasObserved)
    let away = Self.away(report)
    if report.stalls.counts.count > 0 {
      rank = .stalled
      sentences = Self.stalled(report, away: away)
    } else if let away {
      rank = .away
      sentences =
        [away.sentence] + Self.cause(report) + (report.stalls.counts.congestionCount > 0 ? Self.congested(report) : [])
    } else if report.stalls.counts.congestionCount > 0 {
      rank = .congested
      sentences = Self.congested(report)
    } else if observed.isEmpty {
      rank = .nothingObserved
      sentences = [Self.whyNothing(report)]
    } else {
      rank = .healthy
      sentences = Self.healthy(report, observed: observed)
    }
    if let caveat = Self.caveat(report.health) { sentences.append(caveat) }
  }

  private static func whyNothing(_ report: Report) -> String {
    if report.sessions.isEmpty { return "Nothing was recorded: the store holds no session." }
    if report.health.figures.lossCount > 0 || report.health.sessions.contains(where: { $0.trouble != nil }) {
      return "Nothing is known of the run loops: the monitor could not keep what it observed."
    }
    if report.sessions.allSatisfy({ $0.ended == .killed }) {
      return "Nothing was observed: the program was killed before the monitor wrote the first figures of a run loop."
    }
    if report.loops.isEmpty {
      let watched = Figure.duration(report.sessions.map(\.duration).saturatingSum())
      return """
        Nothing was observed: no run loop ran in \(watched) of watching, or the monitor could not see it \
        ('stallwatch doctor PROGRAM' says what can be watched).
        """
    }
    let verb = report.loops.count == 1 ? "was" : "were"
    return "Nothing was observed: \(Figure.count(report.loops.count, "loop")) \(verb) watched, but none ran."
  }

  /// A sentence on how often and how long the main thread was away; nil where it never was. Other threads' aways are
  /// listed, but nobody waits for them.
  private static func away(_ report: Report) -> (sentence: String, total: Nanoseconds)? {
    let mains = report.loops.filter { $0.isMain && $0.stalls.awayCount > 0 }
    let count = mains.map(\.stalls.awayCount).reduce(0, +)
    guard count > 0 else { return nil }
    let total = mains.map(\.stalls.awayTotal).saturatingSum()
    let rows = Set(mains.map(\.id))
    let worst = report.stalls.worst.first { $0.stall.began.kind == .away && rows.contains($0.stall.loop) }?.stall
    let due = worst?.dueWords ?? "something was due"
    var sentence = "The main thread was away from its loop "
    sentence +=
      count == 1
      ? "once, for \(Figure.duration(total)), while \(due)"
      : "\(Figure.times(count)) for \(Figure.duration(total)) in all while something was due"
    if count > 1, let worst { sentence += "; the longest was \(Figure.duration(worst.duration)), while \(due)" }
    if worst?.state == .fatal { sentence += ", and the process died in it" }
    return (sentence + ".", total)
  }

  private static func stalled(_ report: Report, away: (sentence: String, total: Nanoseconds)?) -> [String] {
    let counts = report.stalls.counts
    let held = report.loops.filter { $0.stalls.count > 0 }
    let one = held.count == 1 ? held.first : nil
    let kind = held.contains { $0.kind.isOfItems } ? "lanes" : "loops"
    let subject = one.map { capitalized(phrase($0)) } ?? "\(held.count) \(kind)"
    let total = Figure.duration(counts.total)
    let isOfItems = one?.kind.isOfItems == true
    var first =
      isOfItems ? "Items of \(phrase(held[0])) waited " : "\(subject) \(one == nil ? "were" : "was") held "
    first += counts.count == 1 ? "once, for \(total)" : "\(Figure.times(counts.count)) for \(total) in all"
    if let worst = report.stalls.worst.first(where: { $0.stall.began.kind == .stall }) {
      if counts.count > 1 {
        first += "; the worst \(isOfItems ? "delay" : "stall") lasted \(Figure.duration(worst.stall.duration))"
      }
      if one == nil { first += ", on \(worst.lane)" }
      let phase = worst.stall.began.phase
      let place = LaneWords.place(mode: short(worst.stall.mode), phase: phase, worst.loopKind)
      first += place.map { ", \($0)" } ?? ""
    }
    var sentences = cause(report) + [first + "."]
    sentences.append("By severity: \(severities(counts)).")
    if let away { sentences.insert(away.sentence, at: away.total > counts.total ? 0 : sentences.count) }
    if counts.fatalCount > 0 { sentences.append(fatal(report)) }
    if counts.openCount > 0 {
      sentences.append("\(counts.openCount) of them had not ended when the store was read.")
    }
    if counts.congestionCount > 0 {
      sentences.append(
        "Congestion, many short spans without a wait, added \(Figure.duration(counts.congestionTotal)) in "
          + "\(Figure.count(counts.congestionCount, "busy run")).")
    }
    return sentences
  }

  private static func severities(_ counts: StallCounts) -> String {
    Severity.allCases.reversed().compactMap { severity in
      counts.bySeverity[severity].map { "\(Figure.count($0)) \(severity.name)" }
    }.joined(separator: ", ")
  }

  /// The line to change, first: the cause with the most time.
  private static func cause(_ report: Report) -> [String] {
    guard let main = report.stalls.signatures.first else { return [] }
    let sentence = CauseSentences(report.stalls.signatures).sentence(main)
    return ["\(sentence): \(Figure.duration(main.total)) in \(Figure.count(main.count, "stall"))."]
  }

  private static func fatal(_ report: Report) -> String {
    guard
      let last = report.stalls.worst.first(where: {
        $0.stall.state == .fatal && $0.stall.began.kind == .stall
      })
    else {
      return "\(Figure.count(report.stalls.counts.fatalCount)) of them lasted until the process died."
    }
    let others = report.stalls.counts.fatalCount - 1
    return "The process died in a stall of \(Figure.duration(last.stall.duration)) on \(last.lane)"
      + (others > 0 ? ", and in \(Figure.count(others, "other"))." : ".")
  }

  private static func congested(_ report: Report) -> [String] {
    let counts = report.stalls.counts
    var sentence =
      "No single span was a stall, but the loops were congested \(Figure.times(counts.congestionCount)) for "
      + "\(Figure.duration(counts.congestionTotal)) in all: many short spans without a wait between them"
    if let worst = report.stalls.worst.first {
      sentence +=
        "; the worst such busy run lasted \(Figure.duration(worst.stall.duration)) on \(worst.lane)"
    }
    return [sentence + "."]
  }

  private static func healthy(_ report: Report, observed: [LoopReport]) -> [String] {
    let thresholds = Set(report.sessions.map(\.record.threshold))
    let bound = thresholds.count == 1 ? "the threshold of \(Figure.duration(thresholds.first))" : "the threshold"
    let lanes = observed.filter(\.kind.isOfItems)
    let loops = observed.filter { !$0.kind.isOfItems }
    guard !loops.isEmpty else {
      return ["Healthy: no item waited for \(bound) behind another one. \(served(lanes, thresholds))"]
    }
    let spans = "Healthy: no span reached \(bound). \(ran(loops))"
    return lanes.isEmpty ? [spans] : [spans, "No item waited so long behind another one. \(served(lanes, thresholds))"]
  }

  private static func ran(_ loops: [LoopReport]) -> String {
    let iterations = Figure.count(loops.map(\.iterations).saturatingSum(), "iteration")
    let time = Figure.duration(loops.map(\.time.whole).saturatingSum())
    let longest = loops.max { ($0.span.maximum ?? 0) < ($1.span.maximum ?? 0) }!
    let span = Figure.duration(longest.span.maximum)
    if loops.count == 1 {
      return "\(capitalized(phrase(longest))) ran \(iterations) in \(time); its longest span took \(span)."
    }
    return "\(loops.count) loops ran \(iterations) in \(time) together; the longest span took \(span), on "
      + "\(phrase(longest))."
  }

  private static func served(_ lanes: [LoopReport], _ thresholds: Set<Nanoseconds>) -> String {
    let items = Figure.count(lanes.map(\.iterations).saturatingSum(), "item")
    let subject = lanes.count == 1 ? capitalized(phrase(lanes[0])) : "\(lanes.count) queues, actors and pools"
    guard let longest = lanes.compactMap(\.delay.maximum).max() else { return "\(subject) served \(items)." }
    // Such as the wait of an item whose queue was suspended.
    let isLong = thresholds.min().map { longest >= $0 } ?? false
    return "\(subject) served \(items); the longest wait was \(Figure.duration(longest))"
      + (isLong ? ", in which the lane served nothing." : ".")
  }

  private static func caveat(_ health: HealthReport) -> String? {
    var holes: [String] = []
    if let blind = health.figures.blind, blind > 0 { holes.append("\(Figure.duration(blind)) went unobserved") }
    if health.figures.lossCount > 0 { holes.append("\(Figure.count(health.figures.lossCount, "record")) did not fit") }
    if health.sessions.contains(where: { $0.trouble != nil }) { holes.append("the store could not always be written") }
    return holes.isEmpty ? nil : "There may be more: \(Figure.list(holes))."
  }

  private static func phrase(_ loop: LoopReport) -> String {
    LaneWords.phrase(loop.name, loop.kind, isMain: loop.isMain)
  }

  /// A name cut short, to leave room for the sentence around it.
  private static func short(_ name: String) -> String { DisplayText.name(name, to: 48) }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
