/// Corrects for asking many questions at once, some of which chance answers wrongly (Holm, "A simple sequentially
/// rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
enum MultipleTests {
  /// The adjusted probabilities, in the order given. Accepting every one below a limit keeps the probability of any
  /// false finding at or below that limit.
  static func adjusted(_ chances: [Double]) -> [Double] {
    var result = chances
    var least = 0.0
    for (rank, place) in chances.indices.sorted(by: { chances[$0] < chances[$1] }).enumerated() {
      least = max(least, min(1, chances[place] * Double(chances.count - rank)))
      result[place] = least
    }
    return result
  }
}
