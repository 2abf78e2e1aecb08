import Foundation

/// The whole program: a plan, its loops on their threads, and the record of what they did.
struct Workload {
  private let options: Options
  private let plan: Plan
  private let truth: TruthWriter

  /// Makes the plan and opens the truth file. Throws ``TruthError``.
  init(options: Options) throws {
    self.options = options
    plan = Plan(options: options)
    truth = try TruthWriter(path: options.truth, threshold: options.threshold)
  }

  /// Runs every loop through its plan. Call on the main thread; returns when all loops are done.
  func run() {
    let startedNs = MonotonicClock.now
    truth.writeStart(at: startedNs, options)
    truth.start()
    Metronome(truth: truth).start()

    let workers = plan.loops.dropFirst()
    let done = DispatchGroup()
    for (place, loop) in workers.enumerated() {
      done.enter()
      let thread = Thread { [self] in
        nameThread(loop.name)
        drive(LoopDriver(loop, number: place + 2, idle: options.idle, truth: truth), number: place + 2, from: startedNs)
        done.leave()
      }
      thread.start()
    }
    let main = LoopDriver(plan.loops[0], number: 1, idle: options.idle, truth: truth)
    drive(main, number: 1, from: startedNs)
    main.turn(until: done)

    let totals = truth.finish(startedNs: startedNs, seed: options.seed)
    let seconds = Double(MonotonicClock.now - startedNs) / 1e9
    print(
      "stallwatch-workload: \(counted(totals.stalls, "stall")) and",
      "\(counted(totals.nearMisses, "near-miss", "near-misses")) on \(counted(plan.loops.count, "loop")) in",
      String(format: "%.1f s", seconds))
  }

  private func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  /// Takes a loop through its plan, with its timers running beside it.
  private func drive(_ driver: LoopDriver, number: Int, from startedNs: Nanoseconds) {
    guard options.timers > 0 else { return driver.run() }
    driver.makeTimers(options, number: number, of: plan.loops.count)
    driver.run()
    driver.runTimers(until: startedNs + options.length)
    driver.endTimers()
  }
}
