/// Computes for `length`.
@inline(never)
func spinStall(_ length: Nanoseconds) {
  let end = MonotonicClock.now + length
  var number: UInt64 = 1
  while MonotonicClock.now < end {
    // Takes about 20 µs, so that reading the clock costs almost nothing.
    for _ in 0..<20_000 { number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    blackHole(number)
  }
}

/// Uses a value, so that the compiler keeps the computation of it.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
