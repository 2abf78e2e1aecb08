import Foundation

/// The whole program without run loops: lanes that Dispatch, Swift's runtime and threads of its own serve, held by a plan.
struct LaneWorkload {
  private let options: Options
  private let truth: TruthWriter

  /// Opens the truth file. Throws ``TruthError``.
  init(options: Options) throws {
    self.options = options
    truth = try TruthWriter(path: options.truth, threshold: options.threshold)
  }

  /// Holds the lanes, and then ends the process. Call on the main thread, which serves the main queue meanwhile.
  func run() -> Never {
    let startedNs = MonotonicClock.now
    truth.writeStart(at: startedNs, options)
    truth.start()
    Metronome(truth: truth).start()
    let thread = Thread { [options, truth] in
      nameThread("lane-driver")
      LaneDriver(options: options, truth: truth).run(LanePlan(options: options))
      let totals = truth.finish(startedNs: startedNs, seed: options.seed)
      let seconds = Double(MonotonicClock.now - startedNs) / 1e9
      print(
        "stallwatch-workload: \(totals.stalls) stalls and \(totals.nearMisses) near-misses on lanes in",
        String(format: "%.1f s", seconds))
      exit(0)
    }
    thread.start()
    dispatchMain()
  }
}
