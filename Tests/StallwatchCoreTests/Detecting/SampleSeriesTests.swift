import StallwatchCore
import Testing

@Suite("A stall's samples")
struct SampleSeriesTests {
  private let stall = StallID(rawValue: 1)

  private func sample(at now: Nanoseconds, _ activity: ThreadActivity = .running) -> StackSample {
    StackSample(atNs: now, weight: 0, activity: activity, frames: [now])
  }

  /// Samples whenever one is due, from `start` to `end`, with a thread that is always on a processor.
  private func series(from start: Nanoseconds, to end: Nanoseconds) -> SampleSeries {
    var series = SampleSeries(every: 10 * .millisecond, from: start)
    while series.nextNs < end {
      let now = series.nextNs
      series.add(sample(at: now), times: ThreadTimes(atNs: now, cpu: now, runDelay: 0), at: now)
    }
    return series
  }

  @Test("are one an interval, each standing for the time until the next")
  func spacing() {
    let result = series(from: 1_000, to: 1_000 + 45 * .millisecond).result(of: stall, until: 1_000 + 47 * .millisecond)
    #expect(result.samples.count == 5)
    #expect(result.samples.map(\.weight) == [10, 10, 10, 10, 7].map { $0 * .millisecond })
    #expect(result.cause == StallCause(running: 47 * .millisecond, blocked: 0, starved: 0))
  }

  @Test(
    "are at most 64 for a stall of any length, with weights that add up to the watched time",
    arguments: [0.3, 0.7, 1, 3, 60, 3_600])
  func thinning(seconds: Double) {
    let end = 1_000 + Nanoseconds(seconds * 1e9)
    let result = series(from: 1_000, to: end).result(of: stall, until: end)
    #expect(result.samples.count <= SampleSeries.capacity)
    #expect(result.samples.count >= min(SampleSeries.capacity / 2, Int(seconds * 100)))
    #expect(result.samples.reduce(0) { $0 + $1.weight } == end - 1_000)
    #expect(result.cause?.watched == end - 1_000)
    let longest = result.samples.map(\.weight).max() ?? 0
    let shortest = result.samples.dropLast().map(\.weight).min() ?? 0
    #expect(longest <= 2 * shortest, "evenly spread")
  }

  /// Adds a sample that is due, of a thread whose clocks agree with what it does.
  private func add(
    _ activity: ThreadActivity, _ frames: [UInt64], on blockedOn: BlockedOn? = nil, to series: inout SampleSeries
  ) -> Nanoseconds {
    let now = series.nextNs
    series.add(
      StackSample(atNs: now, weight: 0, activity: activity, frames: frames, blockedOn: blockedOn),
      times: ThreadTimes(atNs: now, cpu: activity == .running ? now : 0, runDelay: 0), at: now)
    return series.nextNs - now
  }

  @Test("of several threads in one look share the time until the next look")
  func beside() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    for (place, at) in ([1_000, 1_020, 1_030] as [Nanoseconds]).enumerated() {
      series.add(
        StackSample(atNs: at, weight: 0, activity: .running, frames: [at]), times: nil, at: at, isBeside: place > 0)
    }
    series.add(sample(at: 31_000), times: nil, at: 31_000)
    let result = series.result(of: stall, until: 41_000)
    #expect(result.samples.map(\.atNs) == [1_000, 1_020, 1_030, 31_000])
    #expect(result.samples.map(\.weight) == [10_000, 10_000, 10_000, 10_000])
  }

  @Test("stand in the order of their moments, also where a thread answered late")
  func lateAnswer() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    for at in [1_000, 21_000, 11_000] as [Nanoseconds] { series.add(sample(at: at), times: nil, at: 21_000) }
    let result = series.result(of: stall, until: 26_000)
    #expect(result.samples.map(\.atNs) == [1_000, 11_000, 21_000])
    #expect(result.samples.map(\.weight) == [10_000, 10_000, 5_000])
  }

  @Test(
    "keep a stack of each thread that is looked at in turns, with its share, however long the stall is",
    arguments: 2...5)
  func turns(threads: Int) {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    var turn = 0
    while series.nextNs < 60 * .second {
      _ = add(.blocked, [UInt64(turn % threads + 1)], to: &series)
      turn += 1
    }
    let result = series.result(of: stall, until: 60 * .second)
    let shares = Dictionary(grouping: result.samples, by: \.frames).mapValues { $0.reduce(0) { $0 + $1.weight } }
    #expect(shares.count == threads)
    let fair = 60 * Nanoseconds.second / Nanoseconds(threads)
    #expect(shares.values.allSatisfy { $0 > fair / 2 && $0 < fair * 3 / 2 }, "\(shares)")
  }

  @Test("of threads that do the same by turns stay as close as those of threads that do not")
  func sameByTurns() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    for _ in 0..<6 {
      let now = series.nextNs
      series.add(
        StackSample(atNs: now, weight: 0, activity: .blocked, frames: [1]),
        times: ThreadTimes(atNs: now, cpu: 0, runDelay: 0), at: now, hasTurned: true)
      #expect(series.nextNs - now <= SampleSeries.longestTurn * 10 * .millisecond)
    }
  }

  @Test(
    "stand for as long for a thread that runs, and answers later, as for one that is blocked, where they take turns")
  func shareOfTheRunning() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    var asked: Nanoseconds?
    for turn in 0..<40 {
      let now = series.nextNs
      let times = ThreadTimes(atNs: now, cpu: now / 2, runDelay: 0)
      if turn % 2 == 0 {
        if let asked {
          let answer = StackSample(atNs: asked, weight: 0, activity: .running, frames: [1])
          series.add(answer, times: times, at: now, hasTurned: true)
        }
        series.skip(at: now, times: times, hasTurned: true)
        asked = now
      } else {
        let sample = StackSample(atNs: now, weight: 0, activity: .blocked, frames: [2])
        series.add(sample, times: times, at: now, hasTurned: true)
      }
    }
    let samples = series.result(of: stall, until: series.nextNs).samples
    func time(_ activity: ThreadActivity) -> Nanoseconds {
      samples.filter { $0.activity == activity }.reduce(0) { $0 + $1.weight }
    }
    #expect(time(.running) > time(.blocked) / 2 && time(.blocked) > time(.running) / 2)
  }

  @Test("come farther apart while a look finds what the last one found, up to eight intervals")
  func stretching() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    let pauses = (0..<6).map { _ in add(.blocked, [1, 2, 3], to: &series) }
    #expect(pauses == [10, 20, 40, 80, 80, 80].map { $0 * .millisecond })
    let result = series.result(of: stall, until: series.nextNs)
    #expect(result.samples.map(\.weight) == pauses, "each still stands for the time until the next")
    #expect(result.cause == StallCause(running: 0, blocked: pauses.reduce(0, +), starved: 0))
  }

  @Test("come farther apart while looks find in turn what earlier ones found, up to four intervals")
  func turns() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    let places: [[UInt64]] = [[1, 2, 3], [1, 2, 4], [1, 2, 3], [1, 2, 4], [1, 2, 3], [1, 2, 5], [1, 2, 4]]
    let pauses = places.map { add(.blocked, $0, to: &series) }
    #expect(pauses == [10, 10, 20, 40, 40, 10, 20].map { $0 * .millisecond })
    #expect(series.result(of: stall, until: series.nextNs).samples.map(\.weight) == pauses)
  }

  @Test("come at the interval again as soon as a look finds something new")
  func change() {
    let other = BlockedOn(systemCall: "read", target: "pipe")
    let changes: [(ThreadActivity, [UInt64], BlockedOn?)] = [
      (.blocked, [1, 2, 4], nil), (.blocked, [1, 2], nil), (.blocked, [1, 2, 3], other), (.running, [1, 2, 3], nil),
      (.starved, [], nil),
    ]
    for (activity, frames, blockedOn) in changes {
      var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
      for _ in 0..<5 { _ = add(.blocked, [1, 2, 3], to: &series) }
      #expect(add(activity, frames, on: blockedOn, to: &series) == 10 * .millisecond)
    }
  }

  @Test("take a running thread for the same while only its innermost place differs, if something called that")
  func leaf() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    #expect(add(.running, [1, 2, 3], to: &series) == 10 * .millisecond)
    #expect(add(.running, [7, 2, 3], to: &series) == 20 * .millisecond)
    #expect(add(.running, [1, 2, 4], to: &series) == 10 * .millisecond)
    #expect(add(.running, [8, 2, 4], to: &series) == 20 * .millisecond)
    #expect(add(.running, [1], to: &series) == 10 * .millisecond)
    #expect(add(.running, [2], to: &series) == 10 * .millisecond)
  }

  @Test("take a thread without a processor for the same, and one whose stack could not be had for another each time")
  func withoutStack() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    #expect(add(.running, [], to: &series) == 10 * .millisecond)
    #expect(add(.running, [], to: &series) == 10 * .millisecond)
    #expect(add(.starved, [], to: &series) == 10 * .millisecond)
    #expect(add(.starved, [], to: &series) == 20 * .millisecond)
  }

  @Test(
    "stay closer where the clocks contradict two looks that found the same",
    arguments: [ThreadActivity.running, .blocked])
  func contradiction(activity: ThreadActivity) {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    for pause in [10, 20, 40, 40, 40] as [Nanoseconds] {
      let now = series.nextNs
      // It ran for half of the time between the looks and was blocked in the rest.
      series.add(
        StackSample(atNs: now, weight: 0, activity: activity, frames: [1, 2, 3]),
        times: ThreadTimes(atNs: now, cpu: now / 2, runDelay: 0), at: now)
      #expect(series.nextNs == now + pause * .millisecond)
    }
  }

  @Test("may wait for another wake-up, for half of the time between them at most")
  func later() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    for _ in 0..<6 {
      let pause = add(.blocked, [1, 2, 3], to: &series)
      #expect(series.latestNs == series.nextNs + pause / 2)
    }
    series.skip(at: .max)
    #expect(series.latestNs == .max)
  }

  @Test("may come a little sooner, with another look, once they are farther apart")
  func sooner() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    #expect(series.soonestNs == series.nextNs)
    _ = add(.blocked, [1, 2, 3], to: &series)
    #expect(series.soonestNs == series.nextNs)
    for _ in 0..<3 {
      let pause = add(.blocked, [1, 2, 3], to: &series)
      #expect(series.soonestNs < series.nextNs)
      #expect(series.soonestNs >= series.nextNs - pause / 4)
    }
  }

  @Test("lose those that found what the one before did, not the others, when there are too many")
  func losingRepetitions() {
    var series = SampleSeries(every: 10 * .millisecond, from: 0)
    var places: [UInt64] = []
    while places.count < SampleSeries.capacity {
      // Three times at one place, then once at another.
      places.append(places.count % 4 < 3 ? 1 : 100 + UInt64(places.count))
      let now = series.nextNs
      series.add(StackSample(atNs: now, weight: 0, activity: .blocked, frames: [9, places.last!]), times: nil, at: now)
    }
    let end = series.nextNs
    let result = series.result(of: stall, until: end)
    #expect(result.samples.count < SampleSeries.capacity)
    let kept = Set(result.samples.map { $0.frames[1] })
    #expect(kept == Set(places))
    #expect(result.samples.reduce(0) { $0 + $1.weight } == end)
  }

  @Test("count from the first reading of the clocks, also when the answer came later")
  func laterAnswer() {
    var series = SampleSeries(every: 10 * .millisecond, from: 100)
    series.skip(at: 100, times: ThreadTimes(atNs: 100, cpu: 0, runDelay: 0))
    series.add(sample(at: 300), times: ThreadTimes(atNs: 1_000, cpu: 900, runDelay: 0), at: 1_000)
    let result = series.result(of: stall, until: 1_100)
    #expect(result.samples.map(\.weight) == [1_000])
    #expect(result.cause == StallCause(running: 1_000, blocked: 0, starved: 0))
  }

  @Test("are worth handing on at the begin, then whenever the watched time has grown by a quarter")
  func handingOn() {
    var series = SampleSeries(every: 10 * .millisecond, from: 1_000)
    let isWorthNothing = series.isWorthHandingOn(at: 2_000)
    #expect(!isWorthNothing, "there are none yet")
    series.add(sample(at: 1_000), times: nil, at: 1_000)
    var handedOn: [Nanoseconds] = []
    for now in stride(from: 2_000, through: 101_000, by: 100) as StrideThrough<Nanoseconds> {
      if series.isWorthHandingOn(at: now) { handedOn.append(now - 1_000) }
    }
    #expect(handedOn.first == 1_000)
    for (before, after) in zip(handedOn, handedOn.dropFirst()) {
      #expect(after >= before + before / 4 && after <= before + before / 4 + 100)
    }
  }

  @Test("divide the time after the last reading by what the last sample saw")
  func tail() {
    var series = SampleSeries(every: 10 * .millisecond, from: 100)
    series.add(sample(at: 100), times: ThreadTimes(atNs: 100, cpu: 5, runDelay: 7), at: 100)
    series.add(sample(at: 200, .blocked), times: ThreadTimes(atNs: 200, cpu: 35, runDelay: 27), at: 200)
    let cause = series.result(of: stall, until: 1_000).cause
    #expect(cause == StallCause(running: 30, blocked: 50 + 800, starved: 20))
  }

  @Test(
    "divide no time after the end, at which the clocks may be read late", arguments: [1_000, 500, 150, 50] as [UInt64])
  func lateReading(end: UInt64) {
    var series = SampleSeries(every: 10 * .millisecond, from: 100)
    series.add(sample(at: 100), times: ThreadTimes(atNs: 100, cpu: 0, runDelay: 0), at: 100)
    series.add(sample(at: 150, .blocked), times: ThreadTimes(atNs: 1_000, cpu: 300, runDelay: 200), at: 1_000)
    let cause = series.result(of: stall, until: end).cause
    #expect(cause?.watched == end.since(100))
    #expect(
      cause
        == [
          1_000: StallCause(running: 300, blocked: 400, starved: 200),
          500: StallCause(running: 300, blocked: 0, starved: 100), 150: StallCause(running: 50, blocked: 0, starved: 0),
          50: StallCause(running: 0, blocked: 0, starved: 0),
        ][end])
  }

  @Test("count a wait for a processor that goes on at the last reading as starved, before the kernel reports it")
  func waitThatGoesOn() {
    var series = SampleSeries(every: 10 * .millisecond, from: 0)
    series.add(sample(at: 100), times: ThreadTimes(atNs: 100, cpu: 0, runDelay: 0), at: 100)
    series.add(sample(at: 200, .blocked), times: ThreadTimes(atNs: 200, cpu: 10, runDelay: 0), at: 200)
    // From here on it runs for 5, and then no more.
    series.add(sample(at: 300, .starved), times: ThreadTimes(atNs: 300, cpu: 15, runDelay: 0), at: 300)
    series.add(sample(at: 400, .starved), times: ThreadTimes(atNs: 400, cpu: 15, runDelay: 0), at: 400)
    let waiting = series.result(of: stall, until: 450).cause
    #expect(waiting == StallCause(running: 15, blocked: 90, starved: 95 + 100 + 50))
    // Now the kernel reports it.
    series.add(sample(at: 500), times: ThreadTimes(atNs: 500, cpu: 20, runDelay: 280), at: 500)
    let reported = series.result(of: stall, until: 500).cause
    #expect(reported == StallCause(running: 20, blocked: 100, starved: 280))
  }

  @Test("take the run delay that the last reading left out from the time that seemed blocked")
  func settledRunDelay() {
    var series = SampleSeries(every: 10 * .millisecond, from: 0)
    series.add(sample(at: 100, .blocked), times: ThreadTimes(atNs: 100, cpu: 0, runDelay: 20), at: 100)
    series.add(sample(at: 200, .blocked), times: ThreadTimes(atNs: 200, cpu: 10, runDelay: 20), at: 200)
    series.settle(runDelay: 55)
    let cause = series.result(of: stall, until: 250).cause
    #expect(cause == StallCause(running: 10, blocked: 55 + 50, starved: 35))
  }

  @Test("have no cause where the system reports no times, and are none where no look brought one")
  func unknown() {
    var series = SampleSeries(every: 10 * .millisecond, from: 100)
    series.skip(at: 100)
    #expect(series.nextNs == 100 + 10 * .millisecond)
    #expect(series.result(of: stall, until: 1_000).samples.isEmpty)
    series.add(sample(at: 200), times: nil, at: 200)
    #expect(series.result(of: stall, until: 1_000).cause == nil)
  }
}
