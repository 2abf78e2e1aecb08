import Benchmark
import StallwatchCore

/// The instructions of 10,000 folded iterations, and of 100,000 readings of the counter clock: of what runs on watched
/// threads. Steady from run to run, so a change that adds some is seen.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = Benchmark.Configuration(
    metrics: [.instructions], warmupIterations: 3, scalingFactor: .one, maxDuration: .seconds(3), maxIterations: 60,
    // Counts are the same from run to run to within a thousandth; 3 % is a handful of instructions an activity.
    thresholds: [.instructions: BenchmarkThresholds(relative: [.p90: 3.0])])

  Benchmark("fold-blocking") { benchmark in
    let loop = ScriptedLoop(grid: nil)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { loop.turn(10_000, .blocking) }
    benchmark.stopMeasurement()
  }
  Benchmark("fold-blocking-with-ticks") { benchmark in
    let loop = ScriptedLoop(grid: DueGrid(first: 1_000_000, interval: 10_000_000))
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { loop.turn(10_000, .blocking) }
    benchmark.stopMeasurement()
  }
  Benchmark("fold-polling") { benchmark in
    let loop = ScriptedLoop(grid: nil)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { loop.turn(10_000, .polling) }
    benchmark.stopMeasurement()
  }
  Benchmark("convert-counter") { benchmark in
    let clock = ScriptedClock()
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { clock.read(100_000) }
    benchmark.stopMeasurement()
  }
}
