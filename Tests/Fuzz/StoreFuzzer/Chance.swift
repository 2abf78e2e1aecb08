/// Random numbers that are the same in every run of one seed (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64, number: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15 ^ number &* 0xd1b5_4a32_d192_ed03
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &self) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
