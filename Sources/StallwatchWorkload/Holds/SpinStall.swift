/// Computes until `length` is over.
@inline(never)
func spinStall(_ length: Nanoseconds) {
  let end = MonotonicClock.now + length
  var number: UInt64 = 1
  while MonotonicClock.now < end {
    // Some 20 µs, beside which reading the clock is nothing.
    for _ in 0..<20_000 { number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    blackHole(number)
  }
}

/// Takes a value, so that the computation of it is not left out.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
