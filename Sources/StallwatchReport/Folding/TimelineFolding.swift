import StallwatchCore
import StallwatchStore

/// Folds a session's windows, stalls and intervals into slices of time.
struct TimelineFolding {
  /// A loop's sums by slice.
  private struct Lane {
    var slices: [Timeline.Slice]
    var held: [Nanoseconds]
    /// Time by mode, because several modes may run in one slice.
    var modes: [[Int64: Nanoseconds]]

    init(count: Int) {
      slices = Array(repeating: Timeline.Slice(), count: count)
      held = Array(repeating: 0, count: count)
      modes = Array(repeating: [:], count: count)
    }
  }

  /// The finest grain in which a store keeps time.
  static let grain = StoreRecorder.Configuration().cellLength

  private let session: StoredSession
  private let slice: Nanoseconds
  private var lanes: [Int64: Lane] = [:]

  /// A folding of a session into at most `mostSlices` slices.
  init(_ session: StoredSession, mostSlices: Int, loops: [Int64]) {
    self.session = session
    let duration = max(session.duration, 1)
    let cells = (duration - 1) / Self.grain + 1
    // A slice is a whole number of cells, so that no cell lies in two slices.
    slice = Self.grain.saturatingMultiply(by: (cells - 1) / Nanoseconds(mostSlices) + 1)
    let count = Int((duration - 1) / slice) + 1
    for loop in loops { lanes[loop] = Lane(count: count) }
  }

  /// Takes in a window of time, spread over the slices in which it lies; a window of a loop without a lane changes
  /// nothing.
  mutating func add(_ window: StoredWindow) {
    guard lanes[window.loop] != nil else { return }
    for piece in window.pieces { spread(piece) }
  }

  private mutating func spread(_ piece: StoredWindow) {
    let start = max(piece.startedNs, session.record.startedNs)
    let seen = session.lastSeenNs.saturatingAdd(1)
    let end = max(min(piece.startedNs.saturatingAdd(piece.length), seen), start.saturatingAdd(1))
    guard let first = place(of: start), let last = place(of: end - 1) else { return }
    var left = piece
    for place in first...last {
      var part = left
      if place < last {
        // By length, and the rest to the last slice: so nothing is lost to rounding.
        let share = Double(min(sliceStart(place + 1), end).since(max(sliceStart(place), start))) / Double(end - start)
        part.busy = Nanoseconds(share * Double(piece.busy))
        part.waiting = Nanoseconds(share * Double(piece.waiting))
        part.outside = Nanoseconds(share * Double(piece.outside))
        part.iterations = UInt64(share * Double(piece.iterations))
        left.busy = left.busy.since(part.busy)
        left.waiting = left.waiting.since(part.waiting)
        left.outside = left.outside.since(part.outside)
        left.iterations = left.iterations.since(part.iterations)
      }
      lanes[piece.loop]?.slices[place].add(part)
      lanes[piece.loop]?.modes[place][piece.mode, default: 0] &+= part.busy.saturatingAdd(part.waiting)
    }
  }

  private func sliceStart(_ place: Int) -> Nanoseconds {
    session.record.startedNs.saturatingAdd(Nanoseconds(place).saturatingMultiply(by: slice))
  }

  /// Takes in a stall or an away of one of the loops.
  mutating func add(_ stall: StoredStall) {
    guard lanes[stall.loop] != nil, stall.state != .cancelled, stall.began.kind != .congestion else { return }
    var moment = stall.began.startedNs
    let end = min(moment.saturatingAdd(stall.duration), session.lastSeenNs)
    while moment < end, let place = place(of: moment) {
      let next = sliceStart(place + 1)
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
        let lane = lanes[loop.id] ?? Lane(count: 1)
        return Timeline.Lane(
          loop: loop.id, name: loop.name, slices: lane.slices, busy: lane.slices.indices.map { busyShare(lane, $0) },
          held: lane.held.indices.map { share(lane.held[$0], $0) }, modes: runs(lane, names: modes))
      }, leftOutLoops: leftOutLoops, intervals: intervals)
  }

  private func place(of moment: Nanoseconds) -> Int? {
    guard moment >= session.record.startedNs, moment <= session.lastSeenNs else { return nil }
    return min(Int((moment - session.record.startedNs) / slice), Int(max(session.duration - 1, 0) / slice))
  }

  private func busyShare(_ lane: Lane, _ place: Int) -> Double? {
    lane.slices[place].time.whole == 0 && lane.held[place] == 0
      ? nil : share(max(lane.slices[place].time.busy, lane.held[place]), place)
  }

  /// Capped at 1, because a session may end within a cell.
  private func share(_ time: Nanoseconds, _ place: Int) -> Double {
    let start = Nanoseconds(place) * slice
    let length = min(slice, max(session.duration, start + 1) - start)
    return min(Double(time) / Double(length), 1)
  }

  private func runs(_ lane: Lane, names: [Int64: String]) -> [(slice: Int, mode: String)] {
    var runs: [(slice: Int, mode: String)] = []
    for (place, times) in lane.modes.enumerated() {
      guard let most = times.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value > 0 else { continue }
      let name = names[most.key] ?? Figure.unknown
      if runs.last?.mode != name { runs.append((place, name)) }
    }
    return runs
  }
}

extension Timeline.Slice {
  fileprivate mutating func add(_ piece: StoredWindow) {
    time.add(busy: piece.busy, waiting: piece.waiting)
    outside = outside.saturatingAdd(piece.outside)
    iterations = iterations.saturatingAdd(piece.iterations)
    longest = max(longest, piece.longest)
  }
}
