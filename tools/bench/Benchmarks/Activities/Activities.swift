import Benchmark
let benchmarks: @Sendable () -> Void = {
  Benchmark("x") { b in for _ in b.scaledIterations { blackHole(1) } }
}
