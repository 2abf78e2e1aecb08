import Foundation

/// A small random number generator with the same sequence on every machine: a Weyl sequence through a 64-bit mixer,
/// after Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// A generator. The same seed gives the same sequence.
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A random number from 0 up to, but not including, 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with this probability.
  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  /// A random element. Avoids the standard library's choice, which may change with its version; a plan must not.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }

  /// A random duration in the range, uniformly distributed.
  mutating func duration(in range: ClosedRange<Nanoseconds>) -> Nanoseconds {
    range.lowerBound + Nanoseconds(fraction() * Double(range.upperBound - range.lowerBound))
  }

  /// A random duration in the range, spread evenly over orders of magnitude.
  mutating func logarithmicDuration(in range: ClosedRange<Nanoseconds>) -> Nanoseconds {
    let lowest = Double(range.lowerBound)
    return Nanoseconds(lowest * pow(Double(range.upperBound) / lowest, fraction()))
  }
}
