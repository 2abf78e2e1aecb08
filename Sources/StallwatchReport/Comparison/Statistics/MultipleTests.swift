/// Who asks many questions at once gets some wrong answers: what each chance is worth among all (Holm, "A simple
/// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
enum MultipleTests {
  /// The chances adjusted, in the order given: one below a limit means that no more than that limit is the chance of any
  /// false finding among all.
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
