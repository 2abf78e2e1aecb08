/// Tests whether one sample's values tend to be larger than the other's, whatever their distribution (Mann and Whitney,
/// "On a test of whether one of two random variables is stochastically larger than the other", Annals of Mathematical
/// Statistics 18, 1947). Uses the normal approximation with the correction for ties.
enum RankTest {
  /// The fewest values per side for which the approximation holds.
  static let leastCount = 8

  /// The probability that the samples differ this much by chance; 1 where either is too small.
  static func chance(_ first: [UInt64], _ second: [UInt64]) -> Double {
    guard first.count >= leastCount, second.count >= leastCount else { return 1 }
    let all = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
    var (rankSum, ties, place) = (0.0, 0.0, 0)
    while place < all.count {
      var end = place
      while end < all.count, all[end].0 == all[place].0 { end += 1 }
      let tied = Double(end - place)
      let rank = Double(place + end + 1) / 2
      rankSum += rank * Double(all[place..<end].count { $0.1 })
      ties += tied * tied * tied - tied
      place = end
    }
    let (m, n) = (Double(first.count), Double(second.count))
    let u = rankSum - m * (m + 1) / 2
    let variance = m * n / 12 * ((m + n + 1) - ties / ((m + n) * (m + n - 1)))
    guard variance > 0 else { return 1 }
    // Continuity correction: half a rank to the safe side.
    return Normal.twoSided(max((u - m * n / 2).magnitude - 0.5, 0) / variance.squareRoot())
  }
}
