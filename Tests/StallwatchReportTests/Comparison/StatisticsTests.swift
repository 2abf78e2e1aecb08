import StallwatchCore
import Testing

@testable import StallwatchReport
@testable import StallwatchStore

/// Expected values were computed apart, in Python with whole numbers where the formula has them.
@Suite("The statistics of a comparison")
struct StatisticsTests {
  private func isNear(_ value: Double, _ expected: Double, within: Double = 1e-6) -> Bool {
    (value - expected).magnitude <= expected.magnitude * within
  }

  @Test("know the binomial distribution and its exact interval")
  func binomial() {
    #expect(isNear(Binomial.chance(atLeast: 8, of: 8, share: 0.5), 1 / 256.0))
    #expect(isNear(Binomial.chance(atLeast: 22, of: 30, share: 0.5), 8_656_937.0 / 1_073_741_824))
    #expect(Binomial.chance(atLeast: 0, of: 5, share: 0.1) == 1)
    #expect(Binomial.chance(atLeast: 6, of: 5, share: 0.1) == 0)
    // All of ten: 0.025^(1/10).
    let all = Binomial.interval(10, of: 10)
    #expect(isNear(all.low, 0.6915028921812392, within: 1e-5) && all.high == 1)
  }

  @Test("know quantiles of other distributions to two digits")
  func quantiles() {
    #expect(isNear(Normal.interval(degrees: 8), 2.306, within: 0.002))
    #expect(isNear(Normal.interval(degrees: 4), 2.776, within: 0.01))
    #expect(isNear(Normal.interval(degrees: 1), 12.706, within: 0.001))
    #expect(isNear(Normal.likelyChiSquared(degrees: 4), 9.488, within: 0.01))
  }

  @Test("count a burst as one event, and events by chance each")
  func occurrences() {
    let even = (0..<8).map { Nanoseconds($0) * 100 * .second }
    #expect(Occurrences.count(even, length: 800 * .second) == 8)
    let bursts = [0, 1, 2, 3, 500, 501, 502, 503].map { Nanoseconds($0) * .second }
    #expect(Occurrences.count(bursts, length: 800 * .second) == 2)
    // Of which only some starts are kept: ten minutes of stalls in an hour, and stalls in all of it.
    let kept = (0..<1_000 as Range<Nanoseconds>).map { $0 * 3_520 * .millisecond }
    for (count, occurrences) in [(170, 1), (1_000, 1_000)] {
      let starts = Array(kept.prefix(count))
      #expect(Occurrences.count(starts, apart: 3_500 * .millisecond, length: 3_521 * .second) == occurrences)
    }
    #expect(isNear(Occurrences.dispersion([8, 0, 0, 0, 0], exposures: [1, 1, 1, 1, 1]), 8))
    #expect(Occurrences.dispersion([2, 1, 2, 2, 1], exposures: [1, 1, 1, 1, 1]) == 1)
    #expect(Occurrences.dispersion([8, 0], exposures: [1, 1]) == 1)
  }

  @Test("test the causes of one side beside all others that are as rare")
  func oneSided() {
    let alone = OneSidedCauses.Test([(8, 0.5), (100, 0.5)])
    #expect(isNear(alone.chance(of: 0), 1 / 256.0))
    let beside = OneSidedCauses.Test([(8, 0.5), (9, 0.5), (7, 0.5)])
    #expect(isNear(beside.chance(of: 0), 1 / 256.0 + 1 / 512.0))
    #expect(OneSidedCauses.Test([(4, 0.01)]).chance(of: 0) == 1)
    #expect(OneSidedCauses.fewest(share: 0.5, chance: 0.006) == 8)
    #expect(OneSidedCauses.fewest(share: 1, chance: 0.006) == nil)
  }

  @Test("count in how many divisions of the sessions an answer is as strong")
  func permutations() {
    let levels = { (values: [Double]) in
      Evidence(levels: values.map { Level(logarithm: $0, values: 1_000, variance: 0.000_1) })
    }
    let apart = levels([0, 0.01, 0.02, 0.03, 0.04, 1, 1.01, 1.02, 1.03, 1.04])
    let mixed = levels([0, 1, 0.02, 1.03, 0.04, 1.01, 0.01, 1.02, 0.03, 1.04])
    let test = PermutationTest(base: 5, new: 5)
    let answer = test.ask([.init(evidence: [apart]), .init(evidence: [mixed])], chance: 0.01)
    #expect(isNear(answer.leastChance, 2 / 252.0))
    #expect(answer.chances[1] > 0.1)
    // The strongest answer of the other question's divisions counts as well.
    #expect(isNear(test.ask([.init(evidence: [apart])], chance: 0.01).chances[0], 2 / 252.0))
    // Whichever side is the smaller.
    let lopsided = levels([0, 0.01, 0.02, 0.03, 0.04, 1, 1.01, 1.02, 1.03, 1.04, 1.05])
    let upward = PermutationTest.Question(evidence: [lopsided], direction: 1)
    #expect(isNear(PermutationTest(base: 5, new: 6).ask([upward], chance: 0.01).chances[0], 1 / 462.0))
    let swapped = levels([0, 0.01, 0.02, 0.03, 0.04, 0.05, 1, 1.01, 1.02, 1.03, 1.04])
    let same = PermutationTest.Question(evidence: [swapped], direction: 1)
    #expect(isNear(PermutationTest(base: 6, new: 5).ask([same], chance: 0.01).chances[0], 1 / 462.0))
    let downward = PermutationTest.Question(evidence: [lopsided], direction: -1)
    #expect(PermutationTest(base: 5, new: 6).ask([downward], chance: 0.01).chances == [1])
    let few = PermutationTest(base: 4, new: 4)
    #expect(few.ask([.init(evidence: [levels([0, 1, 0, 1, 0, 1, 0, 1])])], chance: 0.01).needed == nil)
    // Of measures that contradict each other, none counts.
    let opposite = levels([1, 1.01, 1.02, 1.03, 1.04, 0, 0.01, 0.02, 0.03, 0.04])
    #expect(test.ask([.init(evidence: [apart, opposite])], chance: 0.01).chances == [1])
  }

  @Test("know the highest confidence that divisions can show")
  func confidences() {
    let highest = ComparisonConfiguration.confidences.upperBound
    // As documented.
    #expect(highest == 0.9995)
    let levels = (0..<16).map { Level(logarithm: $0 < 8 ? 0 : 1, values: 1_000, variance: 0.000_1) }
    let limit = (1 - highest) * ComparisonConfiguration.shares.changes
    let answer = PermutationTest(base: 8, new: 8).ask([.init(evidence: [Evidence(levels: levels)])], chance: limit)
    #expect(answer.leastChance <= limit + 1e-9 && answer.needed != nil)
  }

  @Test("take from each session what its durations have in common")
  func speed() throws {
    let level = { (logarithm: Double) in Level(logarithm: logarithm, values: 100, variance: 0.000_1) }
    var speed = CommonSpeed(sessions: 4)
    for place in 0..<5 {
      // One of five changes for reasons of its own.
      let own = place == 0 ? 0.5 : 0
      _ = speed.add([level(0), level(0), level(0.1 + own), level(0.1 + own)])
    }
    let common = try #require(speed.estimate()?.logarithms)
    #expect(isNear(common[2] - common[0], 0.1, within: 0.05))
    #expect(CommonSpeed(sessions: 4).estimate() == nil)
  }

  @Test("see in the windows of a mode how many of its spans are alike")
  func clumps() throws {
    func clump(_ busy: [Nanoseconds], _ spans: [Nanoseconds]) -> Double? {
      var clumps = SpanClumps()
      for (place, busy) in busy.enumerated() {
        clumps.add(
          StoredWindow(
            loop: 1, mode: 1, startedNs: Nanoseconds(place) * .second, length: .second, busy: busy, iterations: 100))
      }
      return clumps.clump(of: 1, spans: StoredMetric(samples: spans))
    }
    // In each window all spans are alike, 1 or 3 ms: a hundred are one.
    let lengths: [Nanoseconds] = [.millisecond, 3 * .millisecond]
    let spans: [Nanoseconds] = (0..<1_000).map { lengths[$0 / 100 % 2] }
    let busy: [Nanoseconds] = (0..<10).map { lengths[$0 % 2] * 100 }
    let alike = try #require(clump(busy, spans))
    #expect(alike > 90 && alike < 130)
    // In each window both kinds are mixed: each is one.
    #expect(clump(Array(repeating: 200 * .millisecond, count: 10), spans) == 1)
    #expect(clump([200 * .millisecond], spans) == nil)
  }
}
