import StallwatchCore
import Testing

@Suite("For every random trace")
struct RandomTraceTests {
  private static let phases: [Metric] = [.prepare, .sources, .waiting, .service]

  @Test("seen in full, each phase, span, starvation and position is what the trace's own stack of runs says")
  func full() {
    for seed in UInt64(0)..<400 {
      let trace = RandomTrace(seed: seed)
      let loop = TraceLoop()
      var truth = TraceTruth()
      for (index, step) in trace.steps.enumerated() {
        if index > 0 { truth.charge(step.after) }
        let wasHeld = truth.isHeld
        truth.take(step.activity, in: step.mode)
        let wakes = loop.observe(step.activity, step.after, in: step.mode)
        let position = loop.region.position
        guard wakes == (!wasHeld && truth.isHeld), position.depth == truth.stack.count,
          (position.spanStart != nil) == truth.isHeld,
          truth.stack.last.map({ $0.mode.rawValue == position.mode && $0.phase == position.phase }) ?? true
        else {
          Issue.record("seed \(seed), step \(index): \(position), wakes \(wakes), truth \(truth.stack)")
          return
        }
      }
      for mode in TraceMode.allCases {
        for metric in Self.phases + [.span] {
          let sample = TraceTruth.Sample(metric: metric, mode: mode)
          #expect(loop.total(metric, in: mode) == truth.totals[sample, default: 0], "seed \(seed), \(sample)")
          // A run nested in a span cuts it, and the outer span's rest is a sample of its own.
          #expect(loop.count(metric, in: mode) == truth.counts[sample, default: 0], "seed \(seed), \(sample)")
        }
        let counters = loop.counters(mode)
        #expect(counters.starved == truth.starved[mode, default: 0], "seed \(seed)")
        #expect(counters.entries == truth.entries[mode, default: 0], "seed \(seed)")
        #expect(counters.iterations == truth.iterations[mode, default: 0], "seed \(seed)")
      }
      #expect(loop.region.outside == truth.outside, "seed \(seed)")
      #expect(loop.spells(.blind).isEmpty)
      #expect(loop.spells.allSatisfy { $0.own >= 50.ms && $0.own <= $0.end - $0.start })
    }
  }

  @Test("seen from some moment on in each mode, all time is charged once, and adds up to the time observed")
  func attachedLate() {
    for seed in UInt64(0)..<600 {
      check(RandomTrace(seed: seed).attachedLate(seed: seed ^ 0xa77ac4), "seed \(seed), attached late")
    }
  }

  @Test("with activities missing, all time is charged once, and adds up to the time observed", arguments: [1, 5, 30])
  func damaged(percent: Int) {
    for seed in UInt64(0)..<300 {
      let steps = RandomTrace(seed: seed).damaged(seed: seed ^ 0xda3a6ed, percent: percent)
      check(steps, "seed \(seed), \(percent) % missing")
    }
  }

  /// Checks what holds whatever the fold is fed with.
  private func check(_ steps: [RandomTrace.Step], _ comment: Comment) {
    let loop = TraceLoop()
    var nested: Nanoseconds = 0
    var start: Nanoseconds?
    func observe(_ step: RandomTrace.Step) {
      let before = loop.region.position
      if before.depth > 1 { nested += step.after }
      let wakes = loop.observe(step.activity, step.after, in: step.mode)
      if start == nil { start = loop.now }
      let after = loop.region.position
      if before.spanStart == nil, after.spanStart != nil { #expect(wakes, comment) }
      #expect(after.spanStart == nil || after.phase != .waiting, comment)
    }
    for step in steps { observe(step) }
    // Ends what is still under way, so that it is charged.
    while !loop.region.position.isOutside {
      observe(RandomTrace.Step(activity: .exit, mode: TraceMode(rawValue: loop.region.position.mode)!, after: 1))
    }

    let observed = loop.now - (start ?? loop.now)
    #expect(loop.charged + loop.region.outside + loop.blind == observed, comment)
    #expect(loop.totalInAllModes(.span) == loop.busy, comment)
    for mode in TraceMode.allCases {
      let seen = steps.filter { $0.mode == mode }
      #expect(loop.counters(mode).entries == UInt64(seen.count { $0.activity == .entry }), comment)
      #expect(loop.counters(mode).iterations == UInt64(seen.count { $0.activity == .beforeTimers }), comment)
      #expect(loop.counters(mode).starved <= nested, comment)
    }
    #expect(loop.region.spells.lost == 0)
  }
}
