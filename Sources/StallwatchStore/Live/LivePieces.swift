import StallwatchCore

/// Cuts figures into pieces, each small enough for a block, and puts them into a layout.
struct LivePieces {
  /// The session's start, from which pieces count moments.
  private let origin: Nanoseconds
  private(set) var layout = LiveLayout()
  /// Whether every piece found room.
  private(set) var isWhole = true
  private var writer = LiveWriter()
  /// Windows for which joined ones stand. They go when those are written, so that a death in between loses nothing: a
  /// reader leaves out what a joined one stands for.
  private var covered: [LiveKey] = []
  /// Windows whose metrics are pieces one by one, under the keys of all of them.
  private var apart: Set<LiveKey> = []
  /// One counter stands for eight where there are too many.
  static let coarseBits: UInt16 = 3
  /// With one for 64, the four histograms of a window of ticks fit into a block in any case.
  static let coarsestBits: UInt16 = 6
  /// So many counters fit into a block, whatever their counts.
  private static let countersInPart = 300
  /// The most bytes of all metrics of a window in one piece. So large a piece leaves blocks as full as small ones do.
  private static let mostTogether = LiveBlock.room / 4

  init(from origin: Nanoseconds) { self.origin = origin }

  /// Forgets everything, once the store has it.
  mutating func restart() { (layout, isWhole, covered, apart) = (LiveLayout(), true, [], []) }

  /// Forgets everything, and has that written.
  mutating func empty() {
    layout.empty()
    (isWhole, covered, apart) = (true, [], [])
  }

  /// Removes what belongs to these, and what is not needed since figures were last put.
  mutating func remove(_ owners: Set<LiveKey.Owner>) {
    layout.remove(owners)
    layout.remove(covered)
    covered = []
  }

  /// Changes the layout.
  mutating func change(_ body: (inout LiveLayout) -> Void) { body(&layout) }

  /// When the monitor was seen last, and what it cost.
  mutating func put(
    _ health: LiveFigures.Health?, windowsWritten: Int64, timersFromNs: Nanoseconds, lastSeenNs: Nanoseconds
  ) {
    put(LiveKey(.session)) { writer in
      writer.put(windowsWritten)
      writer.put(timersFromNs, lastSeenNs)
      writer.put(health) { writer, health in
        writer.put(health.atNs, health.observerTotal, health.monitorCPU, health.wakeups, health.driftWakeups)
        writer.put(health.signalObstacle) { $0.put($1) }
      }
    }
  }

  /// Puts how late the watchdog was, which comes less often than other figures.
  mutating func put(watchdogLateness lateness: SparseHistogram) {
    put(lateness, coarseBy: 0) { LiveKey(.watchdogLateness, part: $0) }
  }

  mutating func put(_ loop: LiveFigures.Loop) {
    put(LiveKey(.loop, row: loop.row)) { $0.put(loop.outside, loop.activities) }
  }

  /// Puts a mode's windows of time from this number on: the others are as they were.
  mutating func put(_ series: WindowSeries, ofMode mode: Int64, loop: Int64, from first: UInt64) {
    for full in series.full where full.numbers.lowerBound >= first {
      put(full.window, numbers: full.numbers, ofMode: mode, loop: loop)
    }
    if let current = series.current {
      put(current, numbers: series.number..<series.number + 1, ofMode: mode, loop: loop)
    }
  }

  private mutating func put(_ window: TimeWindow, numbers: Range<UInt64>, ofMode mode: Int64, loop: Int64) {
    put(LiveKey(.window, row: mode, number: numbers.lowerBound)) { [origin] writer in
      writer.put(loop)
      writer.put(UInt64(numbers.count))
      writer.put(window, from: origin)
    }
    for number in numbers.dropFirst() { covered.append(LiveKey(.window, row: mode, number: number)) }
  }

  /// Puts a mode's metrics in one window, on demand with fewer counters than it has. They are one piece, but those of a
  /// window that once was too large for that.
  mutating func put(_ window: MetricSeries.Window, ofMode mode: Int64, loop: Int64, coarsely: Bool) {
    let bits = coarsely ? Self.coarseBits : 0
    let metrics = window.metrics.map { samples -> SparseHistogram? in
      guard let samples, samples.count > 0 else { return nil }
      return coarsely ? samples.coarse(by: bits) : samples
    }
    guard metrics.contains(where: { $0 != nil }) else { return }
    let key = LiveKey(.metrics, row: mode, number: window.startedNs)
    if !apart.contains(key) {
      encode(key) { writer in
        writer.put(loop)
        writer.putRound(window.length)
        writer.put(metrics, coarseBy: bits)
      }
      if writer.bytes.count <= Self.mostTogether { return put(key) }
      apart.insert(key)
      covered.append(key)
    }
    for (metric, samples) in metrics.enumerated() {
      guard let samples else { continue }
      put(
        samples, coarseBy: bits,
        head: { writer in
          writer.put(loop)
          writer.putRound(window.length)
        }, key: { LiveKey(.metric, row: mode, number: window.startedNs, metric: UInt8(metric), part: $0) })
    }
  }

  /// Puts a timer's ledger, on demand with fewer counters of its lateness than it has.
  mutating func put(_ timer: LiveFigures.Timer, coarsely: Bool) {
    let figures = timer.figures
    put(LiveKey(.timer, row: timer.row)) { writer in
      writer.put(figures.fired, figures.dropped, figures.droppedOutside, figures.coalesced, figures.rearmed)
      writer.put(figures.intervalChanges, figures.calloutTotal, figures.calloutMaximum)
      writer.put(figures.worstAtNs) { $0.put($1) }
      writer.put(figures.endedNs) { $0.put($1) }
      writer.put(figures.storedFires, figures.worstLateness)
      writer.put(timer.drops.sorted { $0.key < $1.key }) { writer, drops in
        writer.put(drops.key)
        writer.put(drops.value)
      }
    }
    let bits = coarsely ? Self.coarseBits : 0
    put(coarsely ? figures.lateness.coarse(by: bits) : figures.lateness, coarseBy: bits) {
      LiveKey(.timerLateness, row: timer.row, part: $0)
    }
  }

  /// Puts a window of a loop's ticks, on demand or if need be with fewer counters than it has.
  mutating func put(_ window: TickWindow, ofLoop loop: Int64, coarsely: Bool) {
    let key = LiveKey(.ticks, row: loop, number: window.startedNs)
    var bits = coarsely ? Self.coarseBits : 0
    encode(key) { $0.put(window, coarseBy: bits) }
    while writer.bytes.count > LiveBlock.room, bits < Self.coarsestBits {
      bits += Self.coarseBits
      encode(key) { $0.put(window, coarseBy: bits) }
    }
    put(key)
  }

  /// Puts a histogram in parts, of which the first has its sums. It is already as coarse as `bits` says.
  private mutating func put(
    _ histogram: SparseHistogram, coarseBy bits: UInt16, head: (inout LiveWriter) -> Void = { _ in },
    key: (UInt8) -> LiveKey
  ) {
    guard histogram.count > 0 else { return }
    var (rest, part) = (LiveCounters.counters(histogram.buckets, coarseBy: bits)[...], UInt8(0))
    repeat {
      let counters = rest.prefix(Self.countersInPart)
      put(key(part)) { writer in
        head(&writer)
        writer.put(histogram, counters: counters, coarseBy: bits, isFirst: part == 0)
      }
      rest = rest.dropFirst(Self.countersInPart)
      part += 1
    } while !rest.isEmpty
  }

  private mutating func put(_ key: LiveKey, body: (inout LiveWriter) -> Void) {
    encode(key, body: body)
    put(key)
  }

  private mutating func encode(_ key: LiveKey, body: (inout LiveWriter) -> Void) {
    writer.begin()
    key.encode(into: &writer, from: origin)
    let lengthPlace = writer.bytes.count
    writer.append([0, 0])
    body(&writer)
    let length = writer.bytes.count - lengthPlace - 2
    writer.replace(at: lengthPlace, by: [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)])
  }

  /// Puts what was encoded last.
  private mutating func put(_ key: LiveKey) {
    if writer.bytes.count > LiveBlock.room || !layout.put(key, writer.bytes) { isWhole = false }
  }
}
