/// One stall's samples: when the next is due, and how much time each stands for. For the watchdog's thread.
///
/// The first sample is due at once, the next after an interval. A look that finds what the last one found puts the next
/// off for twice as long, up to eight intervals; so does one that finds what an earlier one found, up to four; one that
/// finds something new brings the interval back. When the series holds 64 samples, it drops some and doubles the
/// interval. So a stall of any length has at most 64; each stands for the time until the next. At the default interval
/// of 10 ms, a stall whose looks find ever new stacks is thinned out after 0.7 s; one of an hour ends at one every two
/// minutes.
package struct SampleSeries: Sendable {
  /// The most samples that a stall holds.
  package static let capacity = 64
  /// How many intervals lie between two looks at most while they find the same: a change shows within 80 ms, or
  /// at the flush after that.
  package static let longestStretch: Nanoseconds = 8
  /// … and while they find in turn what earlier ones found. A thread that goes to and fro between a few places needs no
  /// look every interval to show how its time divides, but more of them than one that stays.
  package static let longestTurn: Nanoseconds = 4

  private var samples: [StackSample] = []
  /// The number of the look that took each of them: several of one look are of several threads.
  private var looks: [Int] = []
  private var readings: Readings?
  private var interval: Nanoseconds
  /// How many intervals lie between the last look and the next.
  private var stretch: Nanoseconds = 1
  /// When the next sample is due, on the monotonic clock.
  package private(set) var nextNs: Nanoseconds
  /// From when on the watched time has grown enough to hand the samples on; 0: they were not handed on yet.
  private var handOnNs: Nanoseconds = 0

  /// A series whose first sample is due at `now`; `interval` counts as at least 1 ms and at most an hour.
  package init(every interval: Nanoseconds, from now: Nanoseconds) {
    self.interval = min(max(interval, .millisecond), 3_600 * .second)
    nextNs = now
  }

  /// How many samples the series holds.
  package var count: Int { samples.count }

  /// From when on a watchdog that is awake may take the next sample, so that it need not wake for it: a quarter sooner
  /// where samples are farther apart than the interval.
  package var soonestNs: Nanoseconds { nextNs.since(interval * (stretch - 1) / 4) }

  /// Until when the next sample may wait, so that the watchdog takes it when it wakes for something else: half as long
  /// again as samples are apart.
  package var latestNs: Nanoseconds { nextNs.saturatingAdd(interval * stretch / 2) }

  /// Adds a sample and ignores its weight. `times` are the thread's clocks, read right after the sample; nil where the
  /// system does not report them, and for a sample that comes with a later one. One that `isBeside` the last is of another
  /// thread in the same look: they share the time until the next look. `hasTurned`: the last look was at another thread,
  /// and that two do the same does not show that one stays.
  package mutating func add(
    _ sample: StackSample, times reading: ThreadTimes?, at now: Nanoseconds, isBeside: Bool = false,
    hasTurned: Bool = false
  ) {
    let repeats = samples.last.map(sample.repeats) ?? false
    let isSteady =
      !hasTurned && repeats && (reading.map { readings?.agree(with: sample.activity, until: $0) ?? true } ?? true)
    if isSteady {
      stretch = min(2 * stretch, Self.longestStretch)
    } else {
      stretch = samples.contains(where: sample.repeats) ? min(2 * stretch, Self.longestTurn) : 1
    }
    looks.append((looks.last ?? 0) + (isBeside ? 0 : 1))
    samples.append(sample)
    if let reading { note(reading, sample.activity) }
    if samples.count == Self.capacity { thin() }
    nextNs = now.saturatingAdd(interval * stretch)
  }

  /// Sets the next sample due one interval from `now`, although none was taken. With `times`, a running thread was asked
  /// for its stack, and what it does counts from here on. Where looks have turned to another thread, the next is as far
  /// away as after a sample: else its answer would stand for less time than the samples of threads that are blocked.
  package mutating func skip(at now: Nanoseconds, times reading: ThreadTimes? = nil, hasTurned: Bool = false) {
    if let reading { note(reading, .running) }
    nextNs = now.saturatingAdd(interval * (hasTurned ? stretch : 1))
  }

  /// Takes the run delay at the last reading of the clocks, which had left its growth out.
  package mutating func settle(runDelay: Nanoseconds) { readings?.settle(runDelay: runDelay) }

  /// Whether they were said to be worth handing on before.
  package var wereHandedOn: Bool { handOnNs > 0 }

  /// Whether the samples so far are worth handing on while the stall goes on; notes that they are, if so. The first
  /// ones are, and later ones when the watched time has grown by a quarter: handing on then costs the same whether it
  /// is asked often or seldom.
  package mutating func isWorthHandingOn(at now: Nanoseconds) -> Bool {
    guard let start, now >= handOnNs else { return false }
    let watched = now.since(start)
    handOnNs = now.saturatingAdd(watched / 4)
    return true
  }

  private mutating func note(_ reading: ThreadTimes, _ activity: ThreadActivity) {
    readings?.add(reading, activity)
    readings = readings ?? Readings(reading)
  }

  /// Drops half of the samples and doubles the interval. First go those that repeat the one before, every second of
  /// them first: their time stays with the same stack. Then go those that repeat an earlier one: threads that are looked
  /// at in turns keep a stack each. Where all of these are too few, every second sample goes.
  private mutating func thin() {
    let repeating = samples.indices.dropFirst().filter { samples[$0].repeats(samples[$0 - 1]) }
    let ranked =
      [0, 1].flatMap { turn in repeating.enumerated().filter { $0.offset % 2 == turn }.map(\.element) }
      + recurring(besides: Set(repeating))
    let half = Self.capacity / 2
    let dropped = ranked.count >= half ? Set(ranked.prefix(half)) : Set(samples.indices.filter { $0 % 2 == 1 })
    let kept = samples.indices.filter { !dropped.contains($0) }
    (samples, looks) = (kept.map { samples[$0] }, kept.map { looks[$0] })
    interval *= 2
  }

  /// The samples that repeat an earlier one, out of step with any turns of threads: a thread whose successor went would
  /// get its time, too. Multiples of the golden ratio fall evenly into what is left of a whole.
  private func recurring(besides repeating: Set<Int>) -> [Int] {
    let golden: UInt32 = 2_654_435_769  // 2^32 divided by the golden ratio.
    return samples.indices
      .filter { place in !repeating.contains(place) && samples[..<place].contains(where: samples[place].repeats) }
      .sorted { UInt32($0) &* golden < UInt32($1) &* golden }
  }

  /// Since when the thread has been watched; nil before the first sample.
  private var start: Nanoseconds? { samples.first.map { min($0.atNs, readings?.first.atNs ?? .max) } }

  /// The samples with their weights, and how the watched time divides, for a stall that ended at `end`.
  package func result(of stall: StallID, until end: Nanoseconds) -> StallSamples {
    // A running thread answers late: where several are looked at in turn, another one may have been looked at meanwhile.
    let order = samples.indices.sorted { (samples[$0].atNs, $0) < (samples[$1].atNs, $1) }
    var (weighted, place) = (order.map { samples[$0] }, 0)
    while place < order.count {
      let after = order[place...].firstIndex { looks[$0] != looks[order[place]] } ?? order.count
      let begin = place == 0 ? start ?? weighted[place].atNs : weighted[place].atNs
      let time = (after < order.count ? weighted[after].atNs : end).since(begin)
      let (share, rest) = time.quotientAndRemainder(dividingBy: Nanoseconds(after - place))
      for one in place..<after { weighted[one].weight = share + (one == place ? rest : 0) }
      place = after
    }
    return StallSamples(stall: stall, samples: weighted, cause: cause(until: end))
  }

  /// From the first to the last reading, uses the thread's clocks; after the last reading, what the last sample saw.
  private func cause(until end: Nanoseconds) -> StallCause? {
    guard let readings, let sample = samples.last else { return nil }
    var cause = readings.cause
    // The clocks were read after the end: what the thread did in between is no part of the stall.
    cause.takeOut(readings.last.atNs.since(end), lastSeen: sample.activity)
    let tail = end.since(readings.last.atNs)
    switch sample.activity {
    case .running: cause.running = cause.running.saturatingAdd(tail)
    case .blocked: cause.blocked = cause.blocked.saturatingAdd(tail)
    case .starved: cause.starved = cause.starved.saturatingAdd(tail)
    }
    return cause
  }
}

extension StallCause {
  /// Subtracts the time read after the end: first from the activity seen last, then from blocked time, because a thread
  /// that ends its process waits for the monitor.
  fileprivate mutating func takeOut(_ excess: Nanoseconds, lastSeen: ThreadActivity) {
    var left = excess
    func take(from time: inout Nanoseconds) {
      let taken = min(time, left)
      time -= taken
      left -= taken
    }
    switch lastSeen {
    case .running: take(from: &running)
    case .blocked: take(from: &blocked)
    case .starved: take(from: &starved)
    }
    take(from: &blocked)
    take(from: &starved)
    take(from: &running)
  }
}

/// The readings of the thread's clocks at the samples of one stall.
private struct Readings: Sendable {
  let first: ThreadTimes
  private(set) var last: ThreadTimes
  /// The latest reading before the wait for a processor that goes on at the last reading; nil when none goes on. The
  /// kernel adds a wait to the run delay when it is over, and on a starved machine that wait may be most of a stall.
  private var beforeWait: ThreadTimes?

  init(_ reading: ThreadTimes) { (first, last) = (reading, reading) }

  mutating func add(_ reading: ThreadTimes, _ activity: ThreadActivity) {
    if activity != .starved {
      beforeWait = nil
    } else if beforeWait == nil || reading.cpu > last.cpu {
      beforeWait = last
    }
    last = reading
  }

  mutating func settle(runDelay: Nanoseconds) { last.runDelay = max(last.runDelay, runDelay) }

  /// Whether the thread did the same between the last reading and `reading` as it did at both, by its clocks: hardly ran
  /// while it was blocked, hardly was blocked while it ran. One that runs and waits by turns may be met waiting every
  /// time.
  func agree(with activity: ThreadActivity, until reading: ThreadTimes) -> Bool {
    let passed = StallCause(from: last, to: reading)
    return switch activity {
    case .blocked: passed.running <= passed.watched / 8
    case .running: passed.blocked <= passed.watched / 4
    case .starved: true
    }
  }

  var cause: StallCause {
    var cause = StallCause(from: first, to: last)
    if let beforeWait {
      // Not reduced by the run delay since: that may belong to an earlier wait, counted as the thread ran in between.
      let mostWaited = last.atNs.since(beforeWait.atNs).since(last.cpu.since(beforeWait.cpu))
      let unaccounted = min(mostWaited, cause.blocked)
      cause.blocked -= unaccounted
      cause.starved = cause.starved.saturatingAdd(unaccounted)
    }
    return cause
  }
}
