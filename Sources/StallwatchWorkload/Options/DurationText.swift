extension Nanoseconds {
  /// Parses a duration such as `250ms`, `2s`, `16.667ms` or `500us`; nil where it is not valid.
  init?(durationText text: String) {
    let units: [(suffix: String, scale: Double)] = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
    guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
      let value = Double(text.dropLast(unit.suffix.count)), value >= 0, value * unit.scale < 1e18
    else { return nil }
    self = Nanoseconds((value * unit.scale).rounded())
  }
}
