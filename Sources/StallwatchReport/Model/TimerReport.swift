import StallwatchCore
import StallwatchStore
import StallwatchSymbols

/// One timer, or the timers of one site, with fires, drops and lateness.
package struct TimerReport: Sendable {
  package var timer: StoredTimer
  /// How many timers this stands for: 1, or more where a session made many alike at one site.
  package var count = 1
  /// The name of the loop that serves it; nil where that is unknown.
  package var loopName: String?
  /// The function that made it, with its place in the source; nil where that is unknown.
  package var origin: Frame?
  /// The lateness of its callouts.
  package var lateness: DurationSummary
  /// The lateness distribution as a one-line plot (``LatenessPlot``).
  package var plot: String
  /// The windows in which it dropped due times or came later than allowed, in time order: the worst of them, at most
  /// ``mostWindows``. None for an entry that stands for several timers.
  package var windows: [LateWindow] = []

  /// The most windows of a timer: those of an hour in which it was late every minute.
  static let mostWindows = 60

  /// A window in which a timer dropped due times or came later than allowed.
  package struct LateWindow: Sendable, Equatable {
    /// When it began, on the monotonic clock.
    package var startedNs: Nanoseconds
    package var length: Nanoseconds
    package var fired: UInt64
    package var dropped: UInt64
    /// The mean and the worst lateness of its callouts.
    package var meanLateness: Nanoseconds
    package var worstLateness: Nanoseconds
  }

  /// Takes in the next window, instead of the least bad one if there are too many.
  mutating func add(_ window: TimerWindow) {
    windows.append(
      LateWindow(
        startedNs: window.startedNs, length: window.length, fired: window.fired, dropped: window.dropped,
        meanLateness: window.lateness.total / max(window.lateness.count, 1), worstLateness: window.lateness.maximum))
    guard windows.count > Self.mostWindows,
      let least = windows.indices.min(by: {
        (windows[$0].dropped, windows[$0].worstLateness) < (windows[$1].dropped, windows[$1].worstLateness)
      })
    else { return }
    windows.remove(at: least)
  }

  /// Its name; without one, where it was made; without that, its kind.
  package var title: String { Self.title(of: timer.record, origin: origin) }

  static func title(of timer: TimerRecord, origin: Frame?) -> String {
    if let name = timer.name { return DisplayText.name(name) }
    if let origin { return origin.location.map { "\($0.label) in \(origin.label)" } ?? "timer in \(origin.label)" }
    switch timer.kind {
    case .mainQueue: return "main-queue timer"
    case .runLoop: return timer.interval == 0 ? "one-shot timers" : "timer \(timer.id.rawValue)"
    }
  }

  /// What is wrong with it and what would help; empty for a timer on time.
  package var remarks: [String] {
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
