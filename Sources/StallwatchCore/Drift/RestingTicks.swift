/// Thins the drift probe's ticks out while a program rests. As long as a loop turns by its own work, every tick is asked
/// for. Once none has turned from one tick to the next, the time between the ticks that are asked for doubles each time,
/// up to a minute; the others are left out. When a loop turns again, every tick counts again. For the watchdog's thread.
package struct RestingTicks {
  /// The longest time between two ticks that are asked for, unless the interval itself is longer. A tick at rest wakes
  /// the watchdog and one loop, and an idle program may be charged four wake-ups a minute.
  package static let longestPause: Nanoseconds = 60 * .second

  /// What is to be done at a look.
  package struct Step: Equatable {
    /// The ticks that came due at rest since the last look.
    package var due: Range<UInt64> = 0..<0
    /// The one of them that is asked for; nil: none.
    package var asked: UInt64?
  }

  private struct Rest {
    /// The tick that is asked for next.
    var asked: UInt64
    /// How many ticks before it the last one was asked for.
    var stride: UInt64
    /// The ticks before this one were reported as due.
    var reported: UInt64
  }

  private let grid: DueGrid
  private let longestStride: UInt64
  /// The loops' own activities at the last look, and when a look last found that they had turned.
  private var activities: UInt64?
  private var turnedNs: Nanoseconds = 0
  private var rest: Rest?
  /// Whether the program would rest if the control's part in the last tick were known. Another look soon is worth while.
  package private(set) var awaitsControl = false

  /// Ticks of `grid`, in a program that has just turned.
  package init(grid: DueGrid) {
    self.grid = grid
    longestStride = max(Self.longestPause / max(grid.interval, 1), 1)
  }

  /// Whether ticks are thinned out now.
  package var isResting: Bool { rest != nil }
  /// When the next tick is due that is asked for at rest; nil: the program does not rest.
  package var nextNs: Nanoseconds? { rest.map { grid.due($0.asked) } }

  /// Looks whether the program rests at `now`. `activities` is how many its loops have had of their own; `isIdle` says
  /// whether none is held. Rest begins once `control` knows what became of the last tick, because the control sleeps
  /// from then on.
  package mutating func look(activities: UInt64, isIdle: Bool, control: ControlTicks, at now: Nanoseconds) -> Step {
    let due = grid.count(until: now)
    awaitsControl = false
    guard isIdle, activities == self.activities else {
      self.activities = activities
      turnedNs = now
      return end(at: now)
    }
    guard var rest else {
      // Of the last two ticks, none may have come due before the loops had turned.
      guard due >= 2, turnedNs < grid.due(due - 2) else { return Step() }
      guard control.fate(of: due - 1) != nil else {
        awaitsControl = true
        return Step()
      }
      let stride = min(2, longestStride)
      self.rest = Rest(asked: due - 1 + stride, stride: stride, reported: due)
      return Step()
    }
    var step = Step(due: rest.reported..<max(due, rest.reported))
    if rest.asked < due {
      step.asked = rest.asked
      rest.stride = min(rest.stride.saturatingAdd(rest.stride), longestStride)
      // If the look came late, the next tick still lies ahead.
      rest.asked = max(rest.asked.saturatingAdd(rest.stride), due)
    }
    rest.reported = step.due.upperBound
    self.rest = rest
    return step
  }

  /// Ends the rest, if there is one.
  package mutating func end(at now: Nanoseconds) -> Step {
    defer { rest = nil }
    guard let rest else { return Step() }
    return Step(due: rest.reported..<max(grid.count(until: now), rest.reported))
  }
}
