import StallwatchCore
import StallwatchStore

/// One timer and what became of its due times.
public struct TimerReport: Sendable {
  /// What was recorded.
  public var timer: StoredTimer
  /// How many timers of one site it stands for: 1, or more where a session made many that were alike.
  public var count = 1
  /// The session's row, and the name of the loop that serves it; nil where that is not known.
  public var loopName: String?
  /// The function that made it, at its place; nil where that is not known.
  public var origin: Frame?
  /// How late its callouts began.
  public var lateness: DurationSummary
  /// The same as a distribution over powers of ten, for a plot.
  var plot: String

  /// Its name, or where it was made, or what it is.
  public var title: String { Self.title(of: timer.record, origin: origin) }

  static func title(of timer: TimerRecord, origin: Frame?) -> String {
    if let name = timer.name { return DisplayText.name(name) }
    if let origin { return origin.location.map { "\($0.label) in \(origin.label)" } ?? "timer in \(origin.label)" }
    switch timer.kind {
    case .mainQueue: return "main-queue timer"
    case .runLoop: return timer.interval == 0 ? "one-shot timers" : "timer \(timer.id.rawValue)"
    }
  }

  /// What is wrong with it, and what would help; empty for a timer that keeps time.
  public var remarks: [String] {
    var remarks: [String] = []
    if let worst = timer.drops.first {
      let modes = timer.drops.map { DisplayText.name($0.mode) }.joined(separator: ", ")
      let count = timer.drops.map(\.count).saturatingSum()
      let isOne = timer.drops.count == 1
      remarks.append(
        "\(title): \(Figure.count(count, "fire")) dropped because the loop ran in \(modes), "
          + "\(isOne ? "a mode" : "modes") that this timer is not in. Add it to the common modes "
          + "(RunLoop.add(_:forMode: .common)), or to \(DisplayText.name(worst.mode)) itself.")
    }
    let own = timer.ledger.calloutMaximum
    if timer.record.interval > 0, own >= timer.record.interval {
      remarks.append(
        "\(title): its own callout took up to \(Figure.duration(own)), longer than its interval of "
          + "\(Figure.duration(timer.record.interval)): it drops its own fires.")
    }
    if let worst = timer.stalls.worst {
      let others = timer.stalls.count > 1 ? " and \(Figure.count(timer.stalls.count - 1, "other"))" : ""
      let dropped = timer.stalls.dropped
      remarks.append(
        "\(title): stall \(worst.stall)\(others) made it late by up to \(Figure.duration(worst.worstLateness))"
          + (dropped > 0 ? "; \(Figure.count(dropped, "fire")) dropped." : "."))
    }
    return remarks
  }
}
