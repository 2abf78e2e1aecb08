import StallwatchCore

/// How the grain of time grows coarser with age: the one table of its levels.
package struct Ladder: Sendable, Equatable {
  /// A grain, and the age from which on it suffices.
  package struct Level: Sendable, Equatable {
    /// Windows that ended so long ago come to this level.
    package var age: Nanoseconds
    /// The length of a window at most. Windows are counted from the session's start, and none is cut.
    package var windowLength: Nanoseconds
    /// The length of a cell; nil: windows without cells.
    package var cellLength: Nanoseconds?

    /// Sets every property as given; checks nothing.
    package init(age: Nanoseconds, windowLength: Nanoseconds, cellLength: Nanoseconds? = nil) {
      (self.age, self.windowLength, self.cellLength) = (age, windowLength, cellLength)
    }
  }

  /// The levels of windows of time, finest first. Before the first, windows are as the writer made them.
  ///
  /// An hour: what is looked at while it happens, or right after, deserves the finest grain that there is. A day: one
  /// second still shows which click was slow, at a quarter of the bytes. A week: four seconds, the longest cell, show
  /// when in a release things went wrong. Beyond it 240 s, sixty of those, show how days compare, at 40 KB a day.
  package var time: [Level] = [
    Level(age: hour, windowLength: 60 * .second, cellLength: .second),
    Level(age: day, windowLength: 240 * .second, cellLength: WindowCell.longestLength),
    Level(age: 7 * day, windowLength: 240 * .second),
  ]
  /// The levels of histograms, which begin with 60 s. Their sizes hardly depend on how much time they cover: after a
  /// day ten minutes tell a morning's rush from its noon, after a week an hour does.
  package var metrics: [Level] = [
    Level(age: day, windowLength: 600 * .second),
    Level(age: 7 * day, windowLength: hour),
  ]
  /// Cells that overlap a stall, or so much time before or after it, keep their grain as long as the stall is kept and
  /// the store is not too large: what led to it, and how long its consequences lasted. Histograms have
  /// none: a stall's own row is exact.
  package var neighbourhood = 5 * Nanoseconds.second

  /// Sets all defaults.
  package init() {}

  /// What a store without room brings all cells to that are older than the first level: the last one.
  var pressed: Level? {
    guard var level = time.last, let first = time.first else { return nil }
    level.age = first.age
    return level
  }

  /// What it brings younger cells to when nothing else is left: the same, from the next minute on.
  var pressedLately: Level? { pressed.map { Level(age: 60 * .second, windowLength: $0.windowLength) } }

  /// What it brings younger histograms to then: the first level.
  var pressedMetrics: Level? { metrics.first.map { Level(age: 60 * .second, windowLength: $0.windowLength) } }

  private static let hour = 3_600 * Nanoseconds.second
  private static let day = 24 * hour
}
