/// The samples of one stall that is going on: when the next is due, and what all of them stand for.
///
/// The first is taken when the stall becomes known, then one every interval. When 64 are held every second one is dropped
/// and the interval doubles, so that a stall of any length holds at most 64, evenly spread, and each stands for the time
/// until the next. With the default interval of 10 ms that begins after 0.7 s; a stall of an hour is sampled every two
/// minutes in the end.
public struct SampleSeries: Sendable {
  /// How many samples a stall holds at most.
  public static let capacity = 64

  private var samples: [StackSample] = []
  private var readings: Readings?
  private var interval: Nanoseconds
  /// When the next sample is due.
  public private(set) var nextNs: Nanoseconds

  /// A series whose first sample is due at once.
  public init(every interval: Nanoseconds, from now: Nanoseconds) {
    self.interval = max(interval, .millisecond)
    nextNs = now
  }

  /// How many samples are held.
  public var count: Int { samples.count }

  /// Adds a sample; its weight is not looked at. `times` are the thread's, read right after it; nil where the system
  /// does not tell.
  public mutating func add(_ sample: StackSample, times reading: ThreadTimes?, at now: Nanoseconds) {
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

  /// The next sample is due one interval from now, although none was taken.
  public mutating func skip(at now: Nanoseconds) { nextNs = now.saturatingAdd(interval) }

  /// The samples with their weights, and how the watched time divides, if the stall ended at `end`.
  public func result(of stall: StallID, until end: Nanoseconds) -> StallSamples {
    var weighted = samples
    for place in weighted.indices {
      let next = place + 1 < weighted.count ? weighted[place + 1].atNs : end
      weighted[place].weight = next.since(weighted[place].atNs)
    }
    return StallSamples(stall: stall, samples: weighted, cause: cause(until: end))
  }

  /// From the first to the last reading by the thread's clocks; after the last reading by what the last sample saw.
  private func cause(until end: Nanoseconds) -> StallCause? {
    guard let readings, let sample = samples.last else { return nil }
    var cause = readings.cause
    // The clocks were read when it was over: what the thread did since is no part of it.
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
  /// Subtracts the time that was read after the end: first from the activity that was seen last. The rest is blocked time,
  /// because a thread that ends its process waits for the monitor.
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

/// What the thread's clocks said at the samples of one stall.
private struct Readings: Sendable {
  private let first: ThreadTimes
  private(set) var last: ThreadTimes
  /// The latest reading before the wait for a processor that goes on at the last one; nil when none goes on. The kernel
  /// adds a wait to the run delay when it is over: on a starved machine the last one may be most of a stall.
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
      // Not less the run delay since: that may be of an earlier wait, told when the thread ran in between.
      let mostWaited = last.atNs.since(beforeWait.atNs).since(last.cpu.since(beforeWait.cpu))
      let unaccounted = min(mostWaited, cause.blocked)
      cause.blocked -= unaccounted
      cause.starved = cause.starved.saturatingAdd(unaccounted)
    }
    return cause
  }
}
