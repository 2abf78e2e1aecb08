import StallwatchCore
import StallwatchLibc

/// The stalls of one cause in one session.
package struct SessionCause {
  /// Into how many equal parts a session is divided. Stalls of one part may be alike; how many there are in each part
  /// shows whether they come in bursts.
  static let slices = 16

  /// The number and the logarithms of durations.
  struct Sums {
    var count = 0.0
    var sum = 0.0
    var squares = 0.0

    mutating func add(_ logarithm: Double) {
      count += 1
      sum += logarithm
      squares += logarithm * logarithm
    }

    static func += (sums: inout Sums, other: Sums) {
      sums.count += other.count
      sums.sum += other.sum
      sums.squares += other.squares
    }
  }

  private(set) var count = 0
  private(set) var total: Nanoseconds = 0
  /// The starts of its stalls, from the whole session, each at least ``apart`` after the one before: enough to see
  /// whether they come in bursts.
  private(set) var starts: [Nanoseconds] = []
  /// The least time between two of the starts: 0 while all are kept.
  private(set) var apart: Nanoseconds = 0
  /// What ``apart`` becomes when starts are first left out.
  private var finest: Nanoseconds = 1
  private static let keptStarts = 1_024
  /// By slice.
  private(set) var bySlice = Array(repeating: Sums(), count: SessionCause.slices)
  /// By duration: how many stalls in each step of two percent, to leave out what another session would not have seen.
  private var byLength: [Int32: Sums] = [:]
  private static let step = 0.02

  /// Takes in a stall that began so long after its session did, in this slice. The session took `length`.
  mutating func add(_ duration: Nanoseconds, at offset: Nanoseconds, slice: Int, within length: Nanoseconds) {
    let logarithm = log(Double(max(duration, 1)))
    count += 1
    total = total.saturatingAdd(duration)
    if starts.last.map({ offset.since($0) >= apart }) ?? true { starts.append(offset) }
    finest = max(finest, length / Nanoseconds(Self.keptStarts))
    thin()
    bySlice[slice].add(logarithm)
    byLength[Int32(logarithm / Self.step), default: Sums()].add(logarithm)
  }

  /// Adds the stalls of a cause that is the same bug.
  mutating func add(_ other: SessionCause) {
    count += other.count
    total = total.saturatingAdd(other.total)
    starts += other.starts
    finest = max(finest, other.finest)
    thin(to: max(apart, other.apart))
    thin()
    for slice in bySlice.indices { bySlice[slice] += other.bySlice[slice] }
    byLength.merge(other.byLength) { one, other in Self.sum(one, other) }
  }

  /// Leaves starts out, evenly over the session, until few enough are kept.
  private mutating func thin() {
    while starts.count >= Self.keptStarts { thin(to: max(apart.saturatingAdd(apart), finest)) }
  }

  /// Keeps only starts that lie at least so far apart, in order of time.
  private mutating func thin(to least: Nanoseconds) {
    apart = least
    var kept: [Nanoseconds] = []
    for start in starts.sorted() {
      if let last = kept.last, start.since(last) < least { continue }
      kept.append(start)
    }
    starts = kept
  }

  private static func sum(_ one: Sums, _ other: Sums) -> Sums {
    var sum = one
    sum += other
    return sum
  }

  /// The stalls that are no shorter than `floor`, within two percent.
  func sums(from floor: Nanoseconds) -> Sums {
    let least = Int32((log(Double(max(floor, 1))) / Self.step).rounded())
    // In order: the same durations have the same sum every time.
    return byLength.filter { $0.key >= least }.sorted { $0.key < $1.key }.reduce(into: Sums()) { $0 += $1.value }
  }

  /// How far its durations lie from their mean, and how far those of a slice do together.
  var spread: DurationSpread {
    var spread = DurationSpread()
    let all = bySlice.reduce(into: Sums()) { $0 += $1 }
    guard all.count > 1 else { return spread }
    let (mean, slices) = (all.sum / all.count, Double(bySlice.count { $0.count > 0 }))
    spread.degrees = all.count - 1
    spread.squares = max(all.squares - all.count * mean * mean, 0)
    guard slices > 1 else { return spread }
    spread.sliced = (all.count, spread.squares)
    spread.together =
      bySlice.reduce(0.0) { sum, slice in
        let rest = slice.sum - slice.count * mean
        return sum + rest * rest
      } * slices / (slices - 1)
    return spread
  }
}

/// How much the durations of a cause vary within sessions, as logarithms, and how much alike those of one burst are.
struct DurationSpread {
  fileprivate(set) var degrees = 0.0
  fileprivate(set) var squares = 0.0
  /// The durations of sessions with stalls in several slices, which tell more: their number and squares.
  fileprivate(set) var sliced = (count: 0.0, squares: 0.0)
  /// The squares of the sums of slices.
  fileprivate(set) var together = 0.0

  static func += (spread: inout DurationSpread, other: DurationSpread) {
    spread.degrees += other.degrees
    spread.squares += other.squares
    spread.sliced.count += other.sliced.count
    spread.sliced.squares += other.sliced.squares
    spread.together += other.together
  }

  /// The variance of one duration. From two or three durations nobody can tell: then that of durations which differ by
  /// half.
  var variance: Double { degrees >= 4 ? squares / degrees : 0.25 }
  /// How many stalls weigh as one because those of one burst are alike: the variance of slices over that of as many
  /// independent stalls.
  var clump: Double {
    guard sliced.count > 4, sliced.squares > 0 else { return 1 }
    return max(together / sliced.squares, 1)
  }
}

extension Level {
  /// The geometric mean of durations that vary like this.
  init?(_ durations: SessionCause.Sums, spread: DurationSpread) {
    guard durations.count > 0 else { return nil }
    let values = durations.count / spread.clump
    self.init(
      logarithm: durations.sum / durations.count, values: values, variance: spread.variance / max(values, 1))
  }
}
