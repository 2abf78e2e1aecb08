/// One stall's samples: when the next is due, and how much time each stands for. For the watchdog's thread.
///
/// The first sample is due at once, then one every interval. When the series holds 64, it drops every second one and
/// doubles the interval. So a stall of any length has at most 64 samples, evenly spread; each stands for the time until
/// the next. At the default interval of 10 ms thinning begins after 0.7 s; a stall of an hour ends at one every two
/// minutes.
package struct SampleSeries: Sendable {
  /// The most samples that a stall holds.
  package static let capacity = 64

  private var samples: [StackSample] = []
  private var readings: Readings?
  private var interval: Nanoseconds
  /// When the next sample is due, on the monotonic clock.
  package private(set) var nextNs: Nanoseconds

  /// A series whose first sample is due at `now`; `interval` counts as at least 1 ms.
  package init(every interval: Nanoseconds, from now: Nanoseconds) {
    self.interval = max(interval, .millisecond)
    nextNs = now
  }

  /// How many samples the series holds.
  package var count: Int { samples.count }

  /// Adds a sample and ignores its weight. `times` are the thread's clocks, read right after the sample; nil where the
  /// system does not report them.
  package mutating func add(_ sample: StackSample, times reading: ThreadTimes?, at now: Nanoseconds) {
    samples.append(sample)
    if let reading {
      readings?.add(reading, sample.activity)
      readings = readings ?? Readings(reading)
    }
    if samples.count == Self.capacity {
      samples = samples.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      interval *= 2
    }
    nextNs = now.saturatingAdd(interval)
  }

  /// Sets the next sample due one interval from `now`, although none was taken.
  package mutating func skip(at now: Nanoseconds) { nextNs = now.saturatingAdd(interval) }

  /// The samples with their weights, and how the watched time divides, for a stall that ended at `end`.
  package func result(of stall: StallID, until end: Nanoseconds) -> StallSamples {
    var weighted = samples
    for place in weighted.indices {
      let next = place + 1 < weighted.count ? weighted[place + 1].atNs : end
      weighted[place].weight = next.since(weighted[place].atNs)
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
  private let first: ThreadTimes
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
