import StallwatchCore

/// A lane that Dispatch's queues with one label make, or one that is pinged, as the watchdog knows it. Used on the watchdog's
/// thread only.
struct QueueLane {
  /// A time in which an item waited for the threshold or longer, and then perhaps others.
  struct Delay {
    var began: StallBegan
    /// When the last of the late items began, as far as known.
    var lastBegunNs: Nanoseconds?
    /// The most items that all pools served at once, as far as looks found.
    var mostServed = 0
    /// Whether a look has found no late item any more: those that have just begun may yet have to say so.
    var seemsOver = false
  }

  let id: LoopID
  let region: LaneRegion
  let kind: LaneKind
  let startedNs: Nanoseconds
  var delay: Delay?
  /// Delays are reported up to this moment, in nanoseconds of the monotonic clock.
  var reportedUntilNs: Nanoseconds
  /// When the item that has waited longest was enqueued, and since when other items have been served without a pause
  /// before it. Nil where none waits, or nothing is served before it.
  var headNs: Nanoseconds?
  var servingNs: Nanoseconds = 0
  /// The item that has waited longest.
  var head: QueueItem?
  /// The threads that serve what is before it.
  var ahead: [ServingThread] = []
  /// How many items all pools serve.
  var servedByPools = 0
  /// Which of them was looked at last.
  var lookedAt = 0
  private var late: LaneRegion.LatePosition
  // Up to where its figures were handed on.
  private var figuresFromNs: Nanoseconds
  private var servedReported: UInt64
  /// For how long the items that were being served then had been served.
  private var servingReported: Nanoseconds = 0

  /// The lane of a region, watched since `watchedNs`. The watchdog may meet it a while after its first item was enqueued,
  /// which it knows from the region; of a lane that is older than the watching, it knows nothing of before.
  init(_ id: LoopID, region: LaneRegion, watchedFrom watchedNs: Nanoseconds) {
    (self.id, self.region) = (id, region)
    kind = region.kind
    let start = max(region.madeNs, watchedNs)
    (startedNs, reportedUntilNs, figuresFromNs) = (start, start, start)
    (late, servedReported) = (start > watchedNs ? LaneRegion.firstPosition : region.latePosition, 0)
  }

  /// What the store and the report call it.
  var name: String {
    let label = region.label
    guard label.isEmpty else { return label }
    return kind == .pool ? "unlabelled pool" : kind == .actor ? "unnamed actor" : "unlabelled queue"
  }

  /// Whether it has served items since its figures were last handed on.
  var hasNewItems: Bool { region.served != servedReported }

  /// Since when an item waits for others that are served, less what was reported before; nil: none does.
  var waitingSinceNs: Nanoseconds? { headNs.map { max($0, servingNs, reportedUntilNs) } }

  /// Whether there are late items that were not taken.
  var hasLate: Bool { region.hasLate(after: late) }

  /// The late items since the last call, and how many were lost.
  mutating func takeLate() -> (items: [LaneRegion.LateItem], lost: UInt64) {
    region.lateItems(after: &late)
  }

  /// The growth of its figures. `serving`: for how long the items have been served, in all, that are served now; `width`:
  /// how many it can serve at once.
  mutating func growth(at now: Nanoseconds, serving: Nanoseconds, width: Int) -> ProfileDelta? {
    servedReported = region.served
    let metrics = [region.counters.take(.delay, as: .waiting), region.counters.take(.service, as: .span)]
    let service = metrics[1]
    // Of pings, nothing is known but how long they waited.
    let count = (kind == .pinged ? metrics[0] : service)?.count ?? 0
    guard service != nil || metrics[0] != nil || serving != servingReported else { return nil }
    // Nothing was served before the first item began, unless one had begun before.
    let first = region.takeFirstBegun().map { min(max($0, figuresFromNs), now) } ?? figuresFromNs
    let busyFrom = servingReported > 0 ? figuresFromNs : first
    let elapsed = now.since(busyFrom)
    let busy = ((service?.total ?? 0) + serving).since(servingReported) / Nanoseconds(max(width, 1))
    defer { (figuresFromNs, servingReported) = (now, serving) }
    return ProfileDelta(
      loop: id, mode: 0, atNs: now, entries: 0, iterations: count, starved: 0,
      metrics: metrics.compactMap(\.self),
      stretches: (busyFrom > figuresFromNs
        ? [ModeStretch(startNs: figuresFromNs, endNs: busyFrom, waiting: busyFrom - figuresFromNs)] : []) + [
          ModeStretch(
            startNs: busyFrom, endNs: now, busy: min(busy, elapsed), waiting: elapsed.since(min(busy, elapsed)),
            iterations: count, longest: service?.longest(previousMaximum: 0) ?? 0)
        ])
  }
}
