import StallwatchCore

/// The records of a loop that is busy for 2 ms in every 20 ms.
struct BusyLoop {
  let loop: LoopID
  private var chance: UInt64 = 88_172_645_463_325_252

  init(loop: LoopID) { self.loop = loop }

  /// A number that varies as a machine's do, the same in every run (xorshift).
  mutating func varied(_ middle: Nanoseconds) -> Nanoseconds {
    chance ^= chance << 13
    chance ^= chance >> 7
    chance ^= chance << 17
    // A few are much longer, most lie within a fifth.
    return chance % 500 == 0 ? middle * (2 + chance % 8) : middle * 9 / 10 + chance % (middle / 5 + 1)
  }

  /// What a second of 50 iterations adds.
  mutating func second(at moment: Nanoseconds) -> Record {
    let kinds: [(Metric, Nanoseconds)] = [
      (.prepare, 20 * .microsecond), (.sources, 30 * .microsecond), (.waiting, 18 * .millisecond),
      (.service, 2 * .millisecond), (.span, 2 * .millisecond), (.gap, 18 * .millisecond),
    ]
    let metrics = kinds.map { metric, middle in
      var (buckets, total, longest) = ([Int: UInt32](), 0 as Nanoseconds, 0 as Nanoseconds)
      for _ in 0..<50 {
        let duration = varied(middle)
        buckets[HistogramLayout.index(of: duration), default: 0] += 1
        (total, longest) = (total + duration, max(longest, duration))
      }
      return MetricDelta(
        metric: metric, count: 50, total: total, maximum: longest,
        buckets: buckets.sorted { $0.key < $1.key }.map { (index: $0.key, count: $0.value) })
    }
    let quarter = 250 * Nanoseconds.millisecond
    let stretches = (0..<4 as Range<UInt64>).map { place in
      let busy = varied(25 * .millisecond)
      return ModeStretch(
        startNs: moment + place * quarter, endNs: moment + (place + 1) * quarter, busy: busy,
        waiting: quarter - min(busy, quarter), iterations: 12 + place % 2, longest: varied(2 * .millisecond))
    }
    return .profile(
      ProfileDelta(
        loop: loop, mode: 0, atNs: moment + .second, entries: 0, iterations: 50, starved: 0, metrics: metrics,
        stretches: stretches))
  }

  /// A stall of 50 to 149 ms, of one of 200 signatures.
  func stall(_ number: UInt64, at moment: Nanoseconds) -> [Record] {
    let id = StallID(rawValue: number)
    let signature = number &* 2_654_435_761 % 200
    let samples = (0..<8 as Range<UInt64>).map { place in
      StackSample(
        atNs: moment + (50 + place) * .millisecond, weight: 10 * .millisecond, activity: .running,
        frames: (0..<24).map { 0x40_0000 + signature * 0x1000 + $0 * 64 + (number + place) % 11 })
    }
    return [
      .stallBegan(
        StallBegan(
          id: id, loop: loop, mode: 0, phase: .service, depth: 1, kind: .stall, startedNs: moment,
          detectedNs: moment + 50 * .millisecond)),
      .samples(
        StallSamples(
          stall: id, samples: samples, cause: StallCause(running: 80 * .millisecond, blocked: 0, starved: 0))),
      .stallEnded(
        StallEnded(
          id: id, state: .ended, duration: (50 + number &* 40_503 % 100) * .millisecond, phase: .service)),
    ]
  }
}
