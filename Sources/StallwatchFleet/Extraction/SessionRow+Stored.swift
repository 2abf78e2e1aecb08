import StallwatchCore
import StallwatchReport
import StallwatchStore

extension SessionRow {
  /// The row of a session of `store`. `removals` says what the store has removed. Throws what reading throws.
  init(
    _ origin: RowOrigin, _ session: StoredSession, _ labels: CompleteLabels, in store: StoreReader, removals: [Removed],
    version: UInt64
  ) throws {
    let record = session.record
    self.init(
      origin: origin, started: record.startedAt, duration: session.duration, ended: session.ended.rawValue,
      exitStatus: session.exitStatus, threshold: record.threshold, platform: record.platform,
      host: record.process.host, command: record.command,
      tags: labels.tags.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }, version: version)
    var folding = HealthFolding()
    folding.add(try store.health(session: session.id), session: session)
    let health = folding.folded().figures
    unobserved = health.blind ?? 0
    excluded = health.excluded ?? 0
    observerTime = health.observerTotal ?? 0
    monitorCPU = health.monitorCPU ?? 0
    wakeups = [health.wakeups ?? 0, health.driftWakeups ?? 0].saturatingSum()
    losses = health.losses.filter { $0.key != HealthFigures.looks && $0.value > 0 }.map {
      (what: $0.key, count: $0.value)
    }
    losses += removals.filter { $0.session == session.id && $0.isLoss }.map {
      (what: "removed \($0.what.rawValue) by \($0.reason.rawValue)", count: UInt64(clamping: $0.count))
    }
    losses.sort { $0.what < $1.what }
    try store.forEachTickWindow(session: session.id) { _, window in
      loopLateness.add(window.runLoop.histogram)
      dispatchLateness.add(window.gcd.histogram)
    }
    try store.forEachTick(session: session.id) { stored in
      // Those with the machine's part are in a window, too.
      guard stored.machine == nil else { return }
      if let lateness = stored.tick.runLoopLateness { loopLateness.record(lateness) }
      if let lateness = stored.tick.gcdLateness { dispatchLateness.record(lateness) }
    }
  }
}

extension Removed {
  /// Whether sums lack what was removed. Detail that only became coarser is still in all sums.
  fileprivate var isLoss: Bool { what != .cells && what != .histograms }
}
