import StallwatchCore
import StallwatchReport
import StallwatchStore

/// The counters of a trace, beside the stalls: how busy loops were, how late timers came, and how late the drift
/// probe's ticks.
struct PerfettoCounters<Contents: StoreContents> {
  let export: StoreExport<Contents>

  /// A counter's value from a moment on.
  private struct Value {
    var at: Nanoseconds
    var value: Double
  }

  /// By their names.
  private typealias Counters = [String: [Value]]

  /// Writes those of all sessions. Holds the values of one session and one sort at a time.
  func write(to writer: inout JSONWriter) throws {
    let loopsBySession = Dictionary(grouping: export.loops, by: \.session)
    for session in export.sessions {
      let names = Self.names(of: loopsBySession[session.id] ?? [])
      try write(of: session, to: &writer) { try addBusy(of: session, loops: names, to: &$0) }
      try write(of: session, to: &writer) { try addTimers(of: session, to: &$0) }
      try write(of: session, to: &writer) { try addDrift(of: session, loops: names, to: &$0) }
    }
  }

  /// The names of a session's loops by their rows. Loops that share a name have their thread's number, too, and those
  /// that share that as well have their row: a trace adds counters of one name up.
  private static func names(of loops: [StoredLoop]) -> [Int64: String] {
    var names: [Int64: String] = [:]
    for (name, alike) in Dictionary(grouping: loops, by: \.record.name) {
      for (thread, onThread) in Dictionary(grouping: alike, by: \.record.threadID) {
        for loop in onThread {
          let withThread = alike.count > 1 ? "\(name) (\(thread))" : name
          names[loop.id] = onThread.count > 1 ? "\(withThread) #\(loop.id)" : withThread
        }
      }
    }
    return names
  }

  /// Writes the counters that `add` adds to none.
  private func write(
    of session: StoredSession, to writer: inout JSONWriter, _ add: (inout Counters) throws -> Void
  ) throws {
    var counters: Counters = [:]
    try add(&counters)
    for (name, values) in counters.sorted(by: { $0.key < $1.key }) {
      try write(Self.summed(values), name: name, process: session.id, to: &writer)
    }
  }

  private func addBusy(of session: StoredSession, loops: [Int64: String], to counters: inout Counters) throws {
    try export.contents.forEachWindow(session: session.id, withCells: true) { window in
      guard let loop = loops[window.loop] else { return }
      // A loop has a mode at a time, and each its windows: their shares add up.
      for piece in window.pieces where piece.length > 0 {
        let share = min(Double(piece.busy) / Double(piece.length), 1)
        Self.add(share, from: piece.startedNs, for: piece.length, to: &counters["\(loop): busy", default: []])
      }
    }
  }

  private func addTimers(of session: StoredSession, to counters: inout Counters) throws {
    let timers = try PerfettoTimers(of: session, in: export.contents)
    let titles = Dictionary(timers.worst.map { ($0.id, timers.title($0)) }, uniquingKeysWith: { first, _ in first })
    try export.contents.forEachTimerWindow(session: session.id) { timer, window in
      guard let title = titles[timer] else { return }
      let worst = Double(window.lateness.maximum) / Double(Nanoseconds.millisecond)
      Self.add(
        worst, from: window.startedNs, for: window.length,
        to: &counters["timer \(title): worst lateness in ms", default: []])
      guard window.dropped > 0 else { return }
      Self.add(
        Double(window.dropped), from: window.startedNs, for: window.length,
        to: &counters["timer \(title): dropped fires", default: []])
    }
  }

  private func addDrift(of session: StoredSession, loops: [Int64: String], to counters: inout Counters) throws {
    func add(_ loop: Int64, from: Nanoseconds, for length: Nanoseconds, _ runLoop: Nanoseconds?, _ gcd: Nanoseconds?) {
      guard let name = loops[loop] else { return }
      for (title, lateness) in [("run loop", runLoop), ("GCD timer", gcd)] {
        guard let lateness else { continue }
        Self.add(
          Double(lateness) / Double(Nanoseconds.millisecond), from: from, for: length,
          to: &counters["\(name): lateness of the \(title) in ms", default: []])
      }
    }
    try export.contents.forEachTickWindow(session: session.id) { loop, window in
      for (start, cell) in window.pieces { add(loop, from: start, for: window.cellLength, cell.runLoop, cell.gcd) }
    }
    // Late ticks are in no cell: they are kept one by one, and count until they were served.
    try export.contents.forEachTick(session: session.id) { stored in
      let lateness = stored.tick.runLoopLateness
      add(stored.loop, from: stored.tick.dueNs, for: max(lateness ?? 0, 1), lateness, stored.tick.gcdLateness)
    }
  }

  private static func add(
    _ value: Double, from start: Nanoseconds, for length: Nanoseconds, to values: inout [Value]
  ) {
    guard value != 0 else { return }
    values.append(Value(at: start, value: value))
    values.append(Value(at: start.saturatingAdd(length), value: -value))
  }

  /// What holds at each moment: values are the steps up and down.
  private static func summed(_ values: [Value]) -> [Value] {
    var (sum, result): (Double, [Value]) = (0, [])
    for value in values.sorted(by: { $0.at < $1.at }) {
      sum += value.value
      // What rounding leaves is nothing.
      let shown = sum.magnitude < 1e-9 ? 0 : sum
      if result.last?.at == value.at {
        result[result.count - 1].value = shown
      } else {
        result.append(Value(at: value.at, value: shown))
      }
    }
    return result
  }

  private func write(
    _ values: [Value], name: String, process: Int64, to writer: inout JSONWriter
  ) throws {
    var last: Double?
    for value in values where value.value != last {
      last = value.value
      try writer.event(.counter(name, at: value.at, value: value.value), process: process, thread: 0)
    }
  }
}
