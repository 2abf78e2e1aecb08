import StallwatchCore
import StallwatchStore

/// A session's loops, or a range of its time, in the finest windows that a store keeps, as far as they fit.
package struct BusyTime: Sendable {
  /// When the first slice begins, counted from the session's start.
  package let start: Nanoseconds
  /// The length of a slice.
  package private(set) var slice: Nanoseconds
  /// By the row of the loop, what it did slice by slice: from 0 to ``full`` for the share of time that it did not wait,
  /// or ``unknown``.
  package var levels: [Int64: [UInt8]] { lanes.mapValues { $0.map(\.level) } }

  /// The level of a loop that did not wait at all.
  package static let full: UInt8 = 250
  /// The level of a slice of which nothing is known.
  package static let unknown: UInt8 = 251

  /// Shares of a slice.
  private struct Slice {
    var busy: Float = 0
    var known: Float = 0

    /// Of what is known of the slice: it may be the session's last.
    var level: UInt8 {
      guard known > 0 || busy > 0 else { return BusyTime.unknown }
      let share = min(busy / max(known, busy), 1)
      // What is not nothing is drawn.
      return busy > 0 ? max(UInt8((share * Float(BusyTime.full)).rounded()), 1) : 0
    }
  }

  private let session: StoredSession
  private var lanes: [Int64: [Slice]] = [:]

  /// A folding of a session with at most `mostSlices` slices for each of these loops.
  /// - Parameter range: The time of interest, counted from the session's start; nil: the whole session.
  init(_ session: StoredSession, mostSlices: Int, loops: [Int64], range: Range<Nanoseconds>? = nil) {
    self.session = session
    let duration = max(session.duration, 1)
    start = min(range?.lowerBound ?? 0, duration - 1) / TimelineFolding.grain * TimelineFolding.grain
    let length = max(min(range?.upperBound ?? duration, duration).since(start), 1)
    let cells = (length - 1) / TimelineFolding.grain + 1
    slice = TimelineFolding.grain.saturatingMultiply(by: (cells - 1) / Nanoseconds(max(mostSlices, 1)) + 1)
    let count = Int((length - 1) / slice) + 1
    for loop in loops { lanes[loop] = Array(repeating: Slice(), count: count) }
  }

  /// Takes in a window of time, spread evenly over the slices in which it lies, or in which its cells lie.
  mutating func add(_ window: StoredWindow) {
    guard let count = lanes[window.loop]?.count else { return }
    for piece in window.pieces {
      let known = [piece.busy, piece.waiting, piece.outside].saturatingSum()
      let began = piece.startedNs.since(session.record.startedNs)
      // The last window may be longer than the session.
      let end = max(min(began.saturatingAdd(piece.length), max(session.duration, 1)), began.saturatingAdd(1))
      guard known > 0, end > start else { continue }
      var moment = max(began, start)
      var place = Int(clamping: (moment - start) / slice)
      while moment < end, place < count {
        let next = min(start.saturatingAdd(Nanoseconds(place + 1).saturatingMultiply(by: slice)), end)
        let part = Float(next - moment) / Float(end - began) / Float(slice)
        lanes[window.loop]?[place].busy += part * Float(piece.busy)
        lanes[window.loop]?[place].known += part * Float(known)
        (place, moment) = (place + 1, next)
      }
    }
  }

  /// What the levels take on a page, in bytes: a run of more than three alike takes four.
  var size: Int {
    levels.values.reduce(0) { size, levels in
      var (size, length, last) = (size, 0, UInt8.max)
      for level in levels {
        if level == last { length += 1 } else { (size, length, last) = (size + min(length, 4), 1, level) }
      }
      return size + min(length, 4)
    }
  }

  /// Makes slices twice as long.
  mutating func coarsen() {
    slice = slice.saturatingMultiply(by: 2)
    lanes = lanes.mapValues { slices in
      stride(from: 0, to: slices.count, by: 2).map { place in
        let next = place + 1 < slices.count ? slices[place + 1] : Slice()
        return Slice(busy: (slices[place].busy + next.busy) / 2, known: (slices[place].known + next.known) / 2)
      }
    }
  }
}
