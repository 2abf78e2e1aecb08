import StallwatchCore
import StallwatchStore

/// Delivers what is new in stores: reads them into the spool, and sends what is there.
///
/// When the destination is unreachable, the spool fills to its limit, and reading stops. Nothing is lost by that: rows
/// can be made from the stores at any time, so the spool never has to drop detail. The stores go on to keep their own
/// limits; stalls that a store removes before they could be sent are counted for their session. Memory does not depend
/// on the size of the stores. For one thread.
package final class Shipper {
  /// What the shipper needs from its caller.
  package struct Surroundings {
    /// The paths of the stores, as they are there now.
    package var stores: () throws -> [String]
    /// Opens a store, whose rows get this version. Throws where it cannot be read, with the reason.
    package var open: (_ path: String, _ version: UInt64) throws -> any ShippingSource
    /// Prints one line for whoever runs `ship`.
    package var say: (String) -> Void
    /// Shows the progress.
    package var show: (String) -> Void = { _ in }
    /// Publishes the metrics, a page in Prometheus's format.
    package var publish: ((String) throws -> Void)?

    package init(
      stores: @escaping () throws -> [String], open: @escaping (String, UInt64) throws -> any ShippingSource,
      say: @escaping (String) -> Void
    ) {
      (self.stores, self.open, self.say) = (stores, open, say)
    }
  }

  private let ledger: ShippingLedger
  private let configuration: ShippingConfiguration
  private let clock: any ShippingClock
  private let surroundings: Surroundings
  private let sender: SpoolSender
  private let writer: SpoolWriter
  private var look = StoreLook()
  /// The store to begin with, which changes so that no store waits for another for ever.
  private var first = 0
  private var lastSaid: [String: String] = [:]
  private var publishedAt: Nanoseconds?
  /// Whether the ledger could not be written while batches were sent.
  private var isTroubled = false
  /// Stores that were read to their end, but whose last rows are not in the spool yet.
  private var readToEnd: [(path: String, state: StoreState?, sessions: [ShippingSession])] = []
  /// Whether no look at all stores is finished yet: stores that are missing now were gone before the start.
  private var isFirstLook = true

  /// How a look at all stores ended: whether all that they have is in the spool.
  private enum Reading { case done, more, full, troubled(String) }

  package init(
    _ ledger: ShippingLedger, to delivery: any Delivery, _ configuration: ShippingConfiguration,
    _ clock: any ShippingClock, _ surroundings: Surroundings
  ) {
    (self.ledger, self.configuration, self.clock, self.surroundings) = (ledger, configuration, clock, surroundings)
    sender = SpoolSender(ledger, delivery, configuration, clock, say: surroundings.say)
    writer = SpoolWriter(ledger, configuration, clock)
  }

  /// Ships until everything is delivered, or, where it follows, until somebody asks to stop. Throws what is wrong with
  /// the ledger or the list of stores.
  package func run(following: Bool) throws -> ShippingSummary {
    try tidy()
    var obstacle: String?
    while !clock.isStopped {
      let begun = clock.now
      let reading = try read()
      let sent = try send()
      publish(isLast: false)
      obstacle = nil
      switch (reading, sent) {
      case (.done, .empty):
        if !following { return finished(hasMore: false, nil) }
        clock.wait(until: begun.saturatingAdd(configuration.interval))
      case (.more, .empty), (.more, .paused), (.done, .paused), (.full, .empty), (.full, .paused):
        continue
      case (.troubled(let reason), _):
        if !following { return finished(hasMore: true, reason) }
        clock.wait(until: clock.now.saturatingAdd(configuration.firstPause))
      case (.more, .waiting):
        continue
      case (.done, .waiting(let reason, let until)), (.full, .waiting(let reason, let until)):
        obstacle = reason
        if !following, isHopeless {
          if case .full = reading { return finished(hasMore: true, reason) }
          return finished(hasMore: false, reason)
        }
        let next = following ? min(until, begun.saturatingAdd(configuration.interval)) : until
        clock.wait(until: min(next, clock.now.saturatingAdd(configuration.metricsInterval)))
      }
    }
    return finished(hasMore: false, obstacle)
  }

  /// Tidies the ledger once, at the start. On a full disk, the next start does it.
  private func tidy() throws {
    let now = UInt32(clamping: clock.wall / .second)
    do {
      try ledger.retryRejected()
      try ledger.forgetNames(before: now - min(now, configuration.nameLifetime))
    } catch {
      guard error.mayPass else { throw error }
      say("\(error)", about: "ledger")
    }
  }

  /// Whether a run without `--follow` should give up.
  private var isHopeless: Bool {
    if isTroubled || sender.needsMending { return true }
    return sender.failures >= configuration.mostTries
  }

  private func finished(hasMore: Bool, _ obstacle: String?) -> ShippingSummary {
    publish(isLast: true)
    var summary = sender.summary
    (summary.stores, summary.unreadable, summary.sessions) = look.counts
    (summary.left, summary.hasMore, summary.obstacle) = (ledger.spool.waiting, hasMore, obstacle)
    return summary
  }

  /// Sends for a bounded time, so that reading does not wait for a slow destination.
  private func send() throws -> SpoolSender.Result {
    let result: SpoolSender.Result
    do {
      isTroubled = false
      result = try sender.send(until: clock.now.saturatingAdd(configuration.sendingTime))
    } catch let error as LedgerError where error.mayPass {
      isTroubled = true
      say("\(error)", about: "ledger")
      result = .waiting("\(error)", until: clock.now.saturatingAdd(configuration.firstPause))
    }
    surroundings.show("\(sender.summary.batches) batches delivered, \(ledger.spool.waiting) wait")
    return result
  }

  // MARK: reading

  private func read() throws -> Reading {
    let paths = try surroundings.stores()
    look.keep(paths)
    writer.begin()
    readToEnd = []
    do {
      for offset in paths.indices {
        let place = (first + offset) % paths.count
        do {
          try readStore(paths[place])
        } catch let stop as SpoolWriter.BreakOff {
          first = place
          throw stop
        }
      }
      try flush()
      try countGone(paths)
      isFirstLook = false
      return .done
    } catch SpoolWriter.BreakOff.pause {
      return try afterPause()
    } catch SpoolWriter.BreakOff.full {
      return .full
    } catch let error as LedgerError where error.mayPass {
      // Nothing is lost: what was not put into the spool is read again.
      writer.discard()
      say("\(error)", about: "ledger")
      return .troubled("\(error)")
    }
  }

  /// Puts the rest into the spool. A store counts as read only after that.
  private func flush() throws {
    try writer.flush()
    for store in readToEnd { look.noteRead(store.path, store.state, store.sessions) }
    readToEnd = []
  }

  private func afterPause() throws -> Reading {
    do { try flush() } catch SpoolWriter.BreakOff.full { return .full } catch let error as LedgerError {
      guard error.mayPass else { throw error }
      say("\(error)", about: "ledger")
      return .troubled("\(error)")
    }
    return .more
  }

  private func readStore(_ path: String) throws {
    let state = StoreState(path: path)
    guard look.isWorthReading(path, state) else { return }
    try writer.checkPause()
    let mark = writer.mark
    do {
      let source = try surroundings.open(path, ledger.nextVersion(at: clock.wall))
      let sessions = try source.sessions()
      for session in sessions { try read(session, of: source, path) }
      try countGone(path, sessions)
      readToEnd.append((path, state, sessions))
    } catch let error as SpoolWriter.BreakOff {
      throw error
    } catch let error as LedgerError {
      throw error
    } catch {
      // Rows of a store that cannot be read to its end may be wrong.
      writer.comeBack(to: mark)
      if look.noteFault(path, "\(error)") { surroundings.say("left out: \(error)") }
    }
  }

  private func read(_ session: ShippingSession, of source: any ShippingSource, _ path: String) throws {
    var checkpoint =
      try ledger.checkpoint(session: session.key) ?? ShippingCheckpoint(session: session.key, store: path)
    if SessionReading.isCovered(session, by: checkpoint) { return }
    checkpoint.store = path
    surroundings.show("reading \(path)")
    let reading = SessionReading(of: session, in: source, since: checkpoint, ledger, writer)
    do {
      try reading.run()
    } catch let stop as SpoolWriter.BreakOff where stop == .full {
      // So that it is known how much there was, should the store remove it.
      try noteSeen(session, checkpoint)
      throw stop
    }
    if writer.isDue { try writer.flush() }
    try writer.checkPause()
  }

  private func noteSeen(_ session: ShippingSession, _ checkpoint: ShippingCheckpoint) throws {
    var noted = try ledger.checkpoint(session: session.key) ?? checkpoint
    guard noted.seen < session.highestStall else { return }
    noted.seen = session.highestStall
    try ledger.move([noted])
  }

  // MARK: what is gone

  /// Counts the unsent stalls of sessions that are no longer in their store.
  private func countGone(_ path: String, _ sessions: [ShippingSession]) throws {
    let there = Set(sessions.map(\.key))
    for checkpoint in try ledger.checkpoints(store: path) where !there.contains(checkpoint.session) {
      try countGone(checkpoint, isForGood: true)
    }
  }

  /// The same for stores that are gone.
  private func countGone(_ paths: [String]) throws {
    let there = Set(paths)
    for path in try ledger.stores() where !there.contains(path) && StoreState(path: path) == nil {
      for checkpoint in try ledger.checkpoints(store: path) { try countGone(checkpoint, isForGood: isFirstLook) }
    }
  }

  /// Counts the stalls of a session that were not sent. Where all were sent and the session is gone for good, forgets
  /// it: should it come back after all, it is sent again and counts once.
  private func countGone(_ checkpoint: ShippingCheckpoint, isForGood: Bool) throws {
    let unsent = checkpoint.seen.since(checkpoint.stall.saturatingAdd(checkpoint.readingTaken))
    guard unsent > 0 else {
      if isForGood { try ledger.forget(session: checkpoint.session) }
      return
    }
    var moved = checkpoint
    moved.stall = checkpoint.seen
    try ledger.leaveOut(unsent, of: "stalls", moving: moved)
    say("\(checkpoint.store): is gone, and with it up to \(unsent) stalls that were not sent", about: checkpoint.store)
  }

  /// Prints a line, unless it is the last one that was printed about this subject.
  private func say(_ line: String, about subject: String) {
    guard lastSaid[subject] != line else { return }
    lastSaid[subject] = line
    surroundings.say(line)
  }

  private func publish(isLast: Bool) {
    guard let publish = surroundings.publish else { return }
    if let publishedAt, !isLast, clock.now < publishedAt.saturatingAdd(configuration.metricsInterval) { return }
    publishedAt = clock.now
    do {
      let page = ShippingMetrics.page(
        try ledger.counters(), ledger.spool, configuration, stores: look.counts, wall: clock.wall)
      try publish(page)
    } catch {
      say("\(error)", about: "metrics")
    }
  }
}
