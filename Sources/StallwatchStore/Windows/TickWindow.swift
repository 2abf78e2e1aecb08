import StallwatchCore

/// The ticks of the drift probe on one loop in one window of time: exact sums and histograms of all, and the latest one
/// by one.
package struct TickWindow: Sendable, Equatable {
  /// A tick's place on the grid that all loops of a session share.
  package struct Place: Sendable, Equatable {
    package var number: UInt64
    package var dueNs: Nanoseconds
  }

  /// The sums over ticks that the loop served later than ``DriftTick/leastLateness``.
  package struct Late: Sendable, Equatable {
    package var count: UInt64 = 0
    package var lateness: Nanoseconds = 0
    /// The part of it in which the control was late, too.
    package var machine: Nanoseconds = 0
  }

  /// Of the late ticks those that are not kept one by one.
  package struct LeftOut: Sendable, Equatable {
    package var count: UInt64 = 0
    /// The part of their lateness that the machine does not explain.
    package var rest: Nanoseconds = 0
  }

  /// What a straight line through the lateness of served ticks needs beside their count and sum. A tick's step is its
  /// number less that of the window's first: whole numbers, so that windows add up exactly.
  package struct Steps: Sendable, Equatable {
    package var total: UInt64 = 0
    package var squares: UInt64 = 0
    /// The sum of step times lateness.
    package var lateness: UInt64 = 0
  }

  /// A late tick that is kept.
  package struct Kept: Sendable, Equatable {
    package var tick: DriftTick
    /// The part of its lateness in which the control was late, too.
    package var machine: Nanoseconds
  }

  /// The window's start.
  package internal(set) var startedNs: Nanoseconds
  package internal(set) var length: Nanoseconds
  package internal(set) var ticks: UInt64 = 0
  package internal(set) var first = Place(number: 0, dueNs: 0)
  package internal(set) var last = Place(number: 0, dueNs: 0)
  /// The lateness of the ticks that the loop served.
  package internal(set) var runLoop = StoredMetric.empty
  /// The lateness of the ticks that the control served.
  package internal(set) var gcd = StoredMetric.empty
  package internal(set) var drift = SignedMetric()
  package internal(set) var inOtherModes: Nanoseconds = 0
  package internal(set) var late = Late()
  /// The lateness of the control over the ticks that it served late.
  package internal(set) var gcdLate: Nanoseconds = 0
  package internal(set) var leftOut = LeftOut()
  package internal(set) var steps = Steps()
  package internal(set) var cellLength: Nanoseconds
  /// The worst lateness in equal parts of the window, of all ticks but those that are kept.
  package internal(set) var cells: [TickCell] = []
  /// Late ticks, at most ``mostKept``. In the store they are rows of their own.
  var kept: [Kept] = []

  /// The most late ticks that are kept of a window. Few loops have more stalls a minute. The figures count all.
  static let mostKept = 16
  /// How many cells a window has at most: with a minute's windows cells of one second, as fine as the plot of a recording
  /// of a minute.
  static let mostCells: Nanoseconds = 60

  init(startedNs: Nanoseconds, length: Nanoseconds) {
    (self.startedNs, self.length) = (startedNs, length)
    cellLength = Self.cellLength(ofWindow: length)
  }

  /// The length of a cell: at least a second, in which the drift probe ticks once or a few times.
  static func cellLength(ofWindow length: Nanoseconds) -> Nanoseconds { max(length / mostCells, .second) }

  /// How many ticks the loop dropped.
  package var dropped: UInt64 { ticks.since(runLoop.count) }

  /// Adds a tick, of whose lateness `machine` is the control's part.
  mutating func add(_ tick: DriftTick, machine: Nanoseconds) {
    let place = Place(number: tick.number, dueNs: tick.dueNs)
    if ticks == 0 { (first, last) = (place, place) }
    begin(at: place)
    if place.number > last.number { last = place }
    ticks = ticks.saturatingAdd(1)
    inOtherModes = inOtherModes.saturatingAdd(tick.inOtherModes)
    if let lateness = tick.gcdLateness {
      gcd.record(lateness)
      if lateness > DriftTick.leastLateness { gcdLate = gcdLate.saturatingAdd(lateness) }
    }
    guard let lateness = tick.runLoopLateness else { return note(tick) }
    runLoop.record(lateness)
    steps.add(tick.number - first.number, lateness: lateness)
    if let control = tick.gcdLateness { drift.record(Int64(clamping: lateness) - Int64(clamping: control)) }
    guard lateness > DriftTick.leastLateness else { return note(tick) }
    late.count = late.count.saturatingAdd(1)
    late.lateness = late.lateness.saturatingAdd(lateness)
    late.machine = late.machine.saturatingAdd(machine)
    keep(Kept(tick: tick, machine: machine))
  }

  private mutating func keep(_ tick: Kept) {
    kept.append(tick)
    guard kept.count > Self.mostKept,
      let least = kept.indices.min(by: { kept[$0].lateness < kept[$1].lateness })
    else { return }
    let one = kept.remove(at: least)
    leftOut.count = leftOut.count.saturatingAdd(1)
    leftOut.rest = leftOut.rest.saturatingAdd(one.lateness.since(one.machine))
    note(one.tick)
  }

  /// Marks a tick that is not kept in its cell.
  private mutating func note(_ tick: DriftTick) {
    let cell = TickCell(runLoop: tick.runLoopLateness, gcd: tick.gcdLateness)
    if !cell.isEmpty { add(cell, at: tick.dueNs) }
  }

  /// Adds a cell that begins at `moment`.
  mutating func add(_ cell: TickCell, at moment: Nanoseconds) {
    let place = Int(clamping: moment.since(startedNs) / cellLength)
    while cells.count <= place { cells.append(TickCell()) }
    cells[place].add(cell)
  }

  /// Counts steps from `place` on, if that lies before the first tick.
  mutating func begin(at place: Place) {
    guard place.number < first.number else { return }
    steps.shift(by: first.number - place.number, count: runLoop.count, lateness: runLoop.total)
    first = place
  }
}

extension TickWindow.Kept {
  var lateness: Nanoseconds { tick.runLoopLateness ?? 0 }
}
