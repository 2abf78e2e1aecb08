#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The normal distribution.
enum Normal {
  /// How likely a standard normal value is to lie as far from 0 as `z`, on either side.
  static func twoSided(_ z: Double) -> Double { z.isFinite ? erfc(z.magnitude / 2.0.squareRoot()) : 1 }
}
