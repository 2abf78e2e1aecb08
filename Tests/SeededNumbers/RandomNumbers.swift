/// SplitMix64: the same numbers for the same seed, on every machine (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014).
public struct RandomNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of a seed.
  public init(seed: UInt64) { state = seed }

  /// The numbers of one of a seed's mutants, so that it can be made again alone.
  public init(seed: UInt64, number: UInt64) {
    self.init(seed: seed &* 0x9e37_79b9_7f4a_7c15 ^ number &* 0xd1b5_4a32_d192_ed03)
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// True with a probability of `percent` in a hundred.
  public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of 0 ..< `bound`; 0 where that is empty.
  public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &self) }

  /// One of the values, of which there must be some.
  public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
