import StallwatchCore

/// A lane that Dispatch's queues with one label make, as the watchdog knows it. Used on its thread only.
struct QueueLane {
  /// A time in which an item waited for the threshold or longer, and then perhaps others.
  struct Delay {
    var began: StallBegan
    /// When the last of the late items began, as far as known.
    var lastBegunNs: Nanoseconds?
    /// Whether a look has found no late item any more: those that have just begun may yet have to say so.
    var seemsOver = false
  }

  let id: LoopID
  let place: Int
  let region: LaneRegion
  let isPool: Bool
  let startedNs: Nanoseconds
  var delay: Delay?
  /// Until when delays are told.
  var toldUntilNs: Nanoseconds
  /// Since when the item has waited that has waited longest among those that something is served before, and since when
  /// others are served without a pause.
  var headNs: Nanoseconds?
  var servingNs: Nanoseconds = 0
  /// What is served before it.
  var ahead: [QueueScan.Served] = []
  /// Which of them was looked at last.
  var lookedAt = 0
  private var late: LaneRegion.LatePosition
  // What was told of its figures.
  private var figuresFromNs: Nanoseconds
  private var servedTold: UInt64
  /// The time for which the items had been served that were served then.
  private var servingTold: Nanoseconds = 0

  init(_ id: LoopID, place: Int, region: LaneRegion, at now: Nanoseconds) {
    (self.id, self.place, self.region) = (id, place, region)
    isPool = region.isPool
    (startedNs, toldUntilNs, figuresFromNs) = (now, now, now)
    (late, servedTold) = (region.latePosition, 0)
  }

  /// What the store and the report call it.
  var name: String {
    let label = region.label
    return label.isEmpty ? (isPool ? "unlabelled pool" : "unlabelled queue") : label
  }

  /// Its number of items served since figures were told.
  var hasNewItems: Bool { region.served != servedTold }

  /// Since when an item waits for others that are served, less what was told before; nil: none does.
  var waitingSinceNs: Nanoseconds? { headNs.map { max($0, servingNs, toldUntilNs) } }

  /// The late items since the last call, and how many were lost.
  mutating func takeLate() -> (items: [LaneRegion.LateItem], lost: UInt64) {
    region.lateItems(after: &late)
  }

  /// The growth of its figures. `serving`: for how long the items have been served, in all, that are served now; `width`:
  /// how many it can serve at once.
  mutating func growth(at now: Nanoseconds, serving: Nanoseconds, width: Int) -> ProfileDelta? {
    servedTold = region.served
    let metrics = [region.counters.take(.delay, as: .waiting), region.counters.take(.service, as: .span)]
    let service = metrics[1]
    guard service != nil || metrics[0] != nil || serving != servingTold else { return nil }
    // Nothing was served before the first item began, unless one had begun before.
    let first = region.takeFirstBegun().map { min(max($0, figuresFromNs), now) } ?? figuresFromNs
    let busyFrom = servingTold > 0 ? figuresFromNs : first
    let elapsed = now.since(busyFrom)
    let busy = ((service?.total ?? 0) + serving).since(servingTold) / Nanoseconds(max(width, 1))
    defer { (figuresFromNs, servingTold) = (now, serving) }
    return ProfileDelta(
      loop: id, mode: 0, atNs: now, entries: 0, iterations: service?.count ?? 0, starved: 0,
      metrics: metrics.compactMap(\.self),
      stretches: (busyFrom > figuresFromNs
        ? [ModeStretch(startNs: figuresFromNs, endNs: busyFrom, waiting: busyFrom - figuresFromNs)] : []) + [
          ModeStretch(
            startNs: busyFrom, endNs: now, busy: min(busy, elapsed), waiting: elapsed.since(min(busy, elapsed)),
            iterations: service?.count ?? 0, longest: service?.longest(previousMaximum: 0) ?? 0)
        ])
  }
}
