import Testing

@testable import StallwatchReport
@testable import StallwatchStore

/// Expected values were computed apart, in Python with whole numbers where the formula has them.
@Suite("The statistics of a comparison")
struct StatisticsTests {
  private func isNear(_ value: Double, _ expected: Double) -> Bool { (value - expected).magnitude <= expected * 1e-6 }

  @Test("tell rates apart as the binomial distribution does")
  func rates() {
    // All of ten on one side of two equal ones: 2 × 0.5^10.
    #expect(isNear(RateTest.chance(0, in: 1, 10, in: 1), 0.001953125))
    #expect(isNear(RateTest.chance(10, in: 7, 0, in: 7), 0.001953125))
    // Three of four with three quarters of the time on that side is what one expects.
    #expect(RateTest.chance(1, in: 1, 3, in: 3) == 1)
    // Twice the smaller tail of Binomial(30, 1/2) at 22: 2 × 8,656,937 of 2^30.
    #expect(isNear(RateTest.chance(8, in: 1, 22, in: 1), 0.016124801710247993))
    #expect(RateTest.chance(5, in: 0, 5, in: 1) == 1)
    #expect(RateTest.chance(0, in: 1, 0, in: 1) == 1)
  }

  @Test("take the normal distribution for many events, and give the same as for fewer")
  func manyEvents() {
    let (exact, approximate) = (RateTest.chance(950, in: 1, 1_050, in: 1), RateTest.chance(951, in: 1, 1_051, in: 1))
    #expect((exact - approximate).magnitude < 0.002)
    #expect(RateTest.chance(100_000, in: 1, 110_000, in: 1) < 1e-9)
  }

  @Test("trust clumps of events less than single ones")
  func clumps() {
    #expect(RateTest.dispersion(of: [2, 2, 2, 2], slices: 4) == 1)
    // The mean is 2, the sum of squares 96.
    #expect(isNear(RateTest.dispersion(of: [8, 8], slices: 8), 96.0 / 7 / 2))
    #expect(RateTest.dispersion(of: [5], slices: 1) == 1)
    let single = RateTest.chance(10, in: 1, 30, in: 1)
    #expect(RateTest.chance(10, in: 1, 30, in: 1, dispersion: 5) > 10 * single)
  }

  @Test("rank durations as Mann and Whitney do, ties among them")
  func ranks() {
    let (first, second): ([UInt64], [UInt64]) = ([1, 2, 3, 4, 5, 6, 7, 8], [5, 6, 7, 8, 9, 10, 11, 12])
    // U = 8, mean 32, variance 90.1333 with four ties of two.
    #expect(isNear(RankTest.chance(first, second), 0.013313002763816674))
    #expect(isNear(RankTest.chance(second, first), RankTest.chance(first, second)))
    #expect(RankTest.chance(first, first) == 1)
    #expect(RankTest.chance([1, 2, 3], [100, 200, 300]) == 1)
    #expect(RankTest.chance(Array(repeating: 4, count: 20), Array(repeating: 4, count: 20)) == 1)
  }

  @Test("adjust chances by how many there are")
  func holm() {
    #expect(MultipleTests.adjusted([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02])
    #expect(MultipleTests.adjusted([]) == [])
    #expect(MultipleTests.adjusted([0.6, 0.9]) == [1, 1])
  }

  @Test("see a percentile move, and say nothing where too few lie beyond it")
  func percentiles() {
    let metric = { (count: UInt64, scale: UInt64) in
      StoredMetric(samples: (0..<count).map { (1_000_000 + $0 % 997 * 1_000) * scale / 10 })
    }
    #expect(QuantileTest.chance(0.5, metric(20_000, 10), metric(20_000, 10)) ?? 0 > 0.5)
    #expect(QuantileTest.chance(0.5, metric(20_000, 10), metric(20_000, 12)) ?? 1 < 1e-6)
    #expect(QuantileTest.chance(0.99, metric(2_000, 10), metric(20_000, 12)) == nil)
    #expect(QuantileTest.chance(0.99, metric(200_000, 10), metric(200_000, 12)) ?? 1 < 1e-6)
  }
}
