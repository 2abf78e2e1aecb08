/// Divides the time of one loop into stretches, from the growth of its profile between two readings. For the watchdog's
/// thread.
///
/// Between two readings only sums are known. If the loop rested at the first of them, the rest comes first; the other
/// sums are spread over what remains. Readings follow each other within some milliseconds while a loop turns, and a loop
/// that rests is read again when it wakes, so a sum lies at most that far from where it belongs.
struct StretchReader {
  /// The sums of a mode that stretches hold so far, and those of its profile. A span that goes on is in stretches before it is
  /// in the profile: their sums then exceed the profile's, until the span is over.
  private struct Sums {
    var busy: Nanoseconds = 0
    var waiting: Nanoseconds = 0
    var reportedBusy: Nanoseconds = 0
    var reportedWaiting: Nanoseconds = 0
    var longestEver: Nanoseconds = 0
  }

  /// How the loop rested at the last reading.
  private enum Rest {
    case waiting(mode: Int)
    case outside(mode: Int, since: Nanoseconds)
  }

  private var sums: [Sums] = []
  private var outside: Nanoseconds = 0
  private var rest: Rest?
  /// Stretches reach to here; 0 before the first reading.
  private var untilNs: Nanoseconds

  init(from start: Nanoseconds) { untilNs = start }

  /// What a reading shows besides the profile's growth.
  struct Reading {
    var position: LoopPosition
    /// When the loop's last hold ended.
    var restStart: Nanoseconds
    /// The loop's time outside runs so far.
    var outside: Nanoseconds
    /// How much of the open span is known not to count.
    var excluded: Nanoseconds
    /// Whether the open span is a run in a mode not yet observed, or may be an iteration made for a tick alone.
    var isUnseen: Bool
    var atNs: Nanoseconds
  }

  /// Adds to the deltas of this reading the stretches that they make. A mode that only goes on gets a delta of its own
  /// from `makeDelta`, so that `deltas` holds every mode with a stretch.
  mutating func add(
    _ reading: Reading, to deltas: inout [ProfileDelta], makeDelta: (_ mode: Int) -> ProfileDelta
  ) {
    let now = max(reading.atNs, untilNs)
    if untilNs == 0 { untilNs = now }
    for delta in deltas { take(delta) }
    var stretches: [(mode: Int, stretch: ModeStretch)] = []
    reportRest(reading, until: now, into: &stretches)
    reportRemainder(reading, deltas, until: now, into: &stretches)
    for (mode, stretch) in stretches {
      if let place = deltas.firstIndex(where: { $0.mode == mode }) {
        deltas[place].stretches.append(stretch)
      } else {
        var delta = makeDelta(mode)
        delta.stretches = [stretch]
        deltas.append(delta)
      }
    }
    untilNs = now
    rest = Self.rest(of: reading)
  }

  private static func rest(of reading: Reading) -> Rest? {
    let position = reading.position
    if position.isOutside { return .outside(mode: position.mode, since: reading.restStart) }
    return position.isWaiting ? .waiting(mode: position.mode) : nil
  }

  private mutating func take(_ delta: ProfileDelta) {
    extend(to: delta.mode)
    for metric in delta.metrics {
      switch metric.metric {
      case .span: sums[delta.mode].busy = sums[delta.mode].busy.saturatingAdd(metric.total)
      case .waiting: sums[delta.mode].waiting = sums[delta.mode].waiting.saturatingAdd(metric.total)
      default: break
      }
    }
  }

  private mutating func extend(to mode: Int) {
    while sums.count <= mode { sums.append(Sums()) }
  }

  /// The rest in which the last reading found the loop.
  private mutating func reportRest(
    _ reading: Reading, until now: Nanoseconds, into stretches: inout [(mode: Int, stretch: ModeStretch)]
  ) {
    switch rest {
    case .waiting(let mode):
      extend(to: mode)
      let grown = min(waitingGrowth(of: mode, reading, now: now), now.since(untilNs))
      guard grown > 0 else { return }
      stretches.append((mode, ModeStretch(startNs: untilNs, endNs: untilNs + grown, waiting: grown)))
      sums[mode].reportedWaiting += grown
      untilNs += grown
    case .outside(let mode, let since):
      let grown = min(reading.outside.since(outside), now.since(since))
      guard grown > 0 else { return }
      outside += grown
      stretches.append((mode, ModeStretch(startNs: since, endNs: since + grown, outside: grown)))
      untilNs = max(untilNs, since + grown)
    case nil: break
    }
  }

  /// What is left of the growth, spread over the time that is left.
  private mutating func reportRemainder(
    _ reading: Reading, _ deltas: [ProfileDelta], until now: Nanoseconds,
    into stretches: inout [(mode: Int, stretch: ModeStretch)]
  ) {
    let position = reading.position
    extend(to: position.mode)
    let grownOutside = reading.outside.since(outside)
    outside += grownOutside
    for mode in sums.indices {
      var stretch = ModeStretch(startNs: min(untilNs, now > 0 ? now - 1 : 0), endNs: now)
      let own = deltas.first { $0.mode == mode }
      stretch.busy = busyGrowth(of: mode, reading, now: now)
      stretch.waiting = waitingGrowth(of: mode, reading, now: now)
      if mode == position.mode { stretch.outside = grownOutside }
      stretch.iterations = own?.iterations ?? 0
      stretch.longest = longest(of: mode, reading, own, now: now)
      sums[mode].reportedBusy += stretch.busy
      sums[mode].reportedWaiting += stretch.waiting
      if stretch.busy > 0 || stretch.waiting > 0 || stretch.outside > 0 || stretch.iterations > 0 {
        stretches.append((mode, stretch))
      }
    }
  }

  private func busyGrowth(of mode: Int, _ reading: Reading, now: Nanoseconds) -> Nanoseconds {
    sums[mode].busy.saturatingAdd(openSpan(of: mode, reading, now: now)).since(sums[mode].reportedBusy)
  }

  private func waitingGrowth(of mode: Int, _ reading: Reading, now: Nanoseconds) -> Nanoseconds {
    let position = reading.position
    let open = position.isWaiting && position.mode == mode ? now.since(reading.restStart) : 0
    return sums[mode].waiting.saturatingAdd(open).since(sums[mode].reportedWaiting)
  }

  private func openSpan(of mode: Int, _ reading: Reading, now: Nanoseconds) -> Nanoseconds {
    guard let start = reading.position.spanStart, reading.position.mode == mode, !reading.isUnseen else { return 0 }
    return now.since(start).since(reading.excluded)
  }

  private mutating func longest(
    of mode: Int, _ reading: Reading, _ delta: ProfileDelta?, now: Nanoseconds
  ) -> Nanoseconds {
    var longest = openSpan(of: mode, reading, now: now)
    if let spans = delta?.metrics.first(where: { $0.metric == .span }) {
      longest = max(longest, spans.longest(previousMaximum: sums[mode].longestEver))
      sums[mode].longestEver = max(sums[mode].longestEver, spans.maximum)
    }
    return longest
  }
}
