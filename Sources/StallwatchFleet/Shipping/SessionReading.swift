import StallwatchCore
import StallwatchStore

/// Puts the new rows of one session into the spool. Where a reading is broken off, the next one continues.
///
/// Once a session is over, all of its hours are made again: only then is it known what a lane did that rested for long.
/// Hours that were sent and of which the store has removed a part since are left as they are: they would be less than
/// what was sent.
final class SessionReading {
  private let source: any ShippingSource
  private let session: ShippingSession
  private let base: ShippingCheckpoint
  private var current: ShippingCheckpoint
  private let ledger: ShippingLedger
  private let writer: SpoolWriter
  /// Hours from this one on are not over, or may still change.
  private let openHour: UInt32

  /// A reading of what the session has since `checkpoint`.
  init(
    of session: ShippingSession, in source: any ShippingSource, since checkpoint: ShippingCheckpoint,
    _ ledger: ShippingLedger, _ writer: SpoolWriter
  ) {
    (self.source, self.session, self.ledger, self.writer) = (source, session, ledger, writer)
    var checkpoint = checkpoint
    if !session.isRunning, !checkpoint.isFinal {
      (checkpoint.hour, checkpoint.isFinal) = (min(checkpoint.hour, session.wholeFrom), true)
    }
    (base, current) = (checkpoint, checkpoint)
    let last = WallHour.start(of: session.lastSeenAt)
    openHour = session.isRunning ? last - min(last, WallHour.mostRest * WallHour.length) : last
    current.sign = ""
    current.lastSeen = session.lastSeen
    current.seen = max(base.seen, session.highestStall)
    // Stalls that were open and are over now leave the list once their rows are taken.
    current.open += session.open.filter { stall in !base.open.contains { $0.number == stall.number } }
  }

  /// Whether `checkpoint` covers all that the store has of the session, or the store is an older copy.
  static func isCovered(_ session: ShippingSession, by checkpoint: ShippingCheckpoint) -> Bool {
    session.lastSeen < checkpoint.lastSeen || !checkpoint.sign.isEmpty && session.sign == checkpoint.sign
  }

  /// Reads. Throws ``SpoolWriter/BreakOff``, and what reading and the ledger throw.
  func run() throws {
    let next = try source.forEachPart(
      of: session, from: try firstHour(), isNew: { [base] in base.isNew($0, began: $1) },
      { try self.take($0) })
    finish(next)
  }

  /// The first hour with something new.
  private func firstHour() throws -> UInt32 {
    let open = Set(session.open.map(\.number))
    var hours = base.open.filter { !open.contains($0.number) }.map(\.hour) + [base.hour]
    if let first = try source.firstStall(of: session, after: max(base.stall, base.readingStall)) {
      hours.append(WallHour.start(of: first))
    }
    return hours.min() ?? base.hour
  }

  private func take(_ part: ShippingPart) throws {
    switch part {
    case .row(let stall as StallRow):
      try writer.add(stall, session: session.key)
      current.open.removeAll { $0.number == stall.number }
      // After a reading was broken off, its last stall comes again.
      let isAgain = stall.number <= base.readingStall && stall.started == base.readingMoment
      if stall.number > base.stall, !isAgain { current.readingTaken += 1 }
      come(to: stall.started)
    case .row(var row as SessionRow):
      // All stalls that the store has were passed on.
      try countRemoved()
      row.losses += try ledger.leftOut(session: session.key).map { ("ship " + $0.what, $0.count) }
      try writer.add(row, session: session.key)
    case .row(let row):
      try writer.add(row, session: session.key)
    case .endOfHour(let hour):
      let next = hour.addingReportingOverflow(WallHour.length).partialValue
      guard next >= base.hour else { return }
      current.hour = max(base.hour, min(next, openHour))
      come(to: UInt64(next) * .second)
    }
    guard writer.isDue else { return }
    try writer.flush(reading: current)
    try writer.checkPause()
  }

  /// Notes that all stalls that began before `moment` were taken. Does nothing until this reading is past the moment
  /// that the previous one reached.
  private func come(to moment: UInt64) {
    guard moment >= base.readingMoment, moment > current.readingMoment else { return }
    current.readingMoment = moment
    current.readingStall = max(base.stall, session.highestStall)
  }

  /// Counts what the store removed before it could be sent: of the stalls that it had, those that were neither taken
  /// nor go on, and at most as many as it says it removed.
  private func countRemoved() throws {
    let removed = session.removedStalls.since(base.removed)
    let goOn = session.open.count { $0.number > base.stall }
    let missing = min(
      session.highestStall.since(base.stall).since(current.readingTaken.saturatingAdd(UInt64(goOn))), removed)
    guard missing > 0 else { return }
    // Should the rest not come into the spool, the next reading finds them counted.
    var noted = try ledger.checkpoint(session: session.key) ?? base
    noted.readingTaken += missing
    noted.removed = session.removedStalls
    try ledger.leaveOut(missing, of: "stalls", moving: noted)
    (current.readingTaken, current.removed) = (current.readingTaken + missing, session.removedStalls)
  }

  private func finish(_ next: UInt32) {
    current.stall = max(base.stall, session.highestStall)
    (current.readingStall, current.readingMoment, current.readingTaken) = (0, 0, 0)
    current.open = session.open
    current.hour = max(base.hour, next)
    current.sign = session.sign
    current.removed = session.removedStalls
    writer.reach(current)
  }
}
