import StallwatchCore
import StallwatchStore

/// Folds a session's windows, stalls and intervals into slices of time.
struct TimelineFolding {
  /// A loop's sums by slice.
  private struct Lane {
    var times: [LoopTime]
    var held: [Nanoseconds]
    /// Time by mode, because several modes may run in one slice.
    var modes: [[Int64: Nanoseconds]]

    init(slices: Int) {
      times = Array(repeating: LoopTime(), count: slices)
      held = Array(repeating: 0, count: slices)
      modes = Array(repeating: [:], count: slices)
    }
  }

  private let session: StoredSession
  private let slice: Nanoseconds
  private let window: Nanoseconds
  private var lanes: [Int64: Lane] = [:]

  /// A folding of a session whose profile windows have this length.
  init(_ session: StoredSession, window: Nanoseconds, mostSlices: Int, loops: [Int64]) {
    self.session = session
    self.window = max(window, 1)
    let windows = max((session.duration + self.window - 1) / self.window, 1)
    // A slice is a whole number of windows, so that no window lies in two slices.
    slice = self.window.saturatingMultiply(by: (windows + Nanoseconds(mostSlices) - 1) / Nanoseconds(mostSlices))
    let slices = Int(max((session.duration + slice - 1) / slice, 1))
    for loop in loops { lanes[loop] = Lane(slices: slices) }
  }

  /// Takes in a window of one of the loops, except spans and gaps, which consist of phases and would count twice.
  mutating func add(_ window: StoredWindow, loop: Int64) {
    guard let phase = Phase(window.metric), let place = place(of: window.startedNs) else { return }
    lanes[loop]?.times[place].add(window.total, in: phase)
    lanes[loop]?.modes[place][window.mode, default: 0] &+= window.total
  }

  /// Takes in a stall or an away of one of the loops.
  mutating func add(_ stall: StoredStall) {
    guard lanes[stall.loop] != nil, stall.state != .cancelled, stall.began.kind != .congestion else { return }
    var moment = stall.began.startedNs
    let end = min(moment.saturatingAdd(stall.duration), session.lastSeenNs)
    while moment < end, let place = place(of: moment) {
      let next = session.record.startedNs.saturatingAdd(Nanoseconds(place + 1).saturatingMultiply(by: slice))
      lanes[stall.loop]?.held[place] &+= min(next, end) - moment
      moment = next
    }
  }

  /// The timeline of these loops, with the names of their `modes`.
  func folded(
    loops: [LoopReport], modes: [Int64: String], leftOutLoops: Int, intervals: [Timeline.Interval]
  ) -> Timeline {
    Timeline(
      session: session.id, duration: session.duration, slice: slice,
      lanes: loops.map { loop in
        let lane = lanes[loop.id] ?? Lane(slices: 1)
        return Timeline.Lane(
          loop: loop.id, name: loop.name, busy: lane.times.indices.map { busyShare(lane, $0) },
          held: lane.held.indices.map { share(lane.held[$0], $0) }, modes: runs(lane, names: modes))
      }, leftOutLoops: leftOutLoops, intervals: intervals)
  }

  private func place(of moment: Nanoseconds) -> Int? {
    guard moment >= session.record.startedNs, moment <= session.lastSeenNs else { return nil }
    return min(Int((moment - session.record.startedNs) / slice), Int(max(session.duration - 1, 0) / slice))
  }

  private func busyShare(_ lane: Lane, _ place: Int) -> Double? {
    lane.times[place].whole == 0 && lane.held[place] == 0
      ? nil : share(max(lane.times[place].busy, lane.held[place]), place)
  }

  /// Capped at 1: a phase counts in the window in which it ends, so its time can exceed the slice.
  private func share(_ time: Nanoseconds, _ place: Int) -> Double {
    let start = Nanoseconds(place) * slice
    let length = min(slice, max(session.duration, start + 1) - start)
    return min(Double(time) / Double(length), 1)
  }

  private func runs(_ lane: Lane, names: [Int64: String]) -> [(slice: Int, mode: String)] {
    var runs: [(slice: Int, mode: String)] = []
    for (place, times) in lane.modes.enumerated() {
      guard let most = times.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { continue }
      let name = names[most.key] ?? Figure.unknown
      if runs.last?.mode != name { runs.append((place, name)) }
    }
    return runs
  }
}
