import Testing

@testable import StallwatchCore

@Suite("The usual course of a loop")
struct UsualCourseTests {
  /// A fold with memory of its own.
  private final class Folding {
    let region: LoopRegion
    private var fold: LoopFold
    private let modes: [ModeCounters]
    private let memory: [UnsafeMutableRawBufferPointer]

    init() {
      let sizes =
        [LoopRegion.byteCount, LoopFold.stackByteCount] + TraceMode.allCases.map { _ in ModeCounters.byteCount }
      memory = sizes.map { size in
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        piece.initializeMemory(as: UInt8.self, repeating: 0)
        return piece
      }
      region = LoopRegion(memory: memory[0].baseAddress!)
      region.attend(from: .max)
      fold = LoopFold(region: region, threshold: 50.ms, stackMemory: memory[1].baseAddress!)
      modes = zip(TraceMode.allCases, memory[2...]).map { ModeCounters(index: $0.rawValue, memory: $1.baseAddress!) }
    }

    deinit { for piece in memory { piece.deallocate() } }

    func usually(_ step: RandomTrace.Step, at now: Nanoseconds) -> LoopFold.Outcome {
      fold.take(in: modes[step.mode.rawValue], at: now, step.activity)
    }
    func anyway(_ step: RandomTrace.Step, at now: Nanoseconds) -> LoopFold.Outcome {
      region.countActivity()
      return fold.fold(in: modes[step.mode.rawValue], at: now, step.activity)
    }

    /// Whether the watchdog and timers see the same in both. Takes the spells.
    func isEqual(to other: Folding) -> Bool {
      var runs: [[ModeRuns.Piece]] = [[], []]
      region.runs.forEach(after: 0) { runs[0].append($0) }
      other.region.runs.forEach(after: 0) { runs[1].append($0) }
      return memory[2...].elementsEqual(other.memory[2...]) { $0.elementsEqual($1) } && runs[0] == runs[1]
        && region.spells.drain() == other.region.spells.drain() && region.spells.lost == other.region.spells.lost
        && region.position == other.region.position && region.restStart == other.region.restStart
        && region.outside == other.region.outside && region.activities == other.region.activities
        && region.lostActivations == other.region.lostActivations
        && region.longSpan(at: .max, threshold: .max) == other.region.longSpan(at: .max, threshold: .max)
    }
  }

  /// Folds a trace again and again, both ways, and compares after each step what an observer receives, and at the end
  /// all of the memory. `scale` shortens its times.
  private func compare(_ steps: [RandomTrace.Step], scale: Nanoseconds, _ comment: Comment) {
    let (usual, any) = (Folding(), Folding())
    var now: Nanoseconds = 1.s
    for _ in 0..<3 {
      for step in steps {
        now += step.after / scale
        let outcome = usual.usually(step, at: now)
        #expect(outcome == any.anyway(step, at: now), comment)
      }
    }
    #expect(usual.isEqual(to: any), comment)
  }

  @Test("comes to what the course of any loop comes to", arguments: [1, 20, 10_000] as [Nanoseconds])
  func random(scale: Nanoseconds) {
    for seed in UInt64(0)..<100 {
      let trace = RandomTrace(seed: seed)
      compare(trace.steps, scale: scale, "seed \(seed)")
      compare(trace.damaged(seed: seed ^ 0xda3a6ed, percent: 5), scale: scale, "seed \(seed), damaged")
      compare(trace.attachedLate(seed: seed ^ 0xa77ac4), scale: scale, "seed \(seed), attached late")
    }
  }

  @Test(
    "does so for loops that turn", arguments: [1, 5.us, 900.us, 2.ms, 24.ms, 49.ms, 60.ms] as [Nanoseconds])
  func turning(step: Nanoseconds) {
    func steps(_ activities: Activity...) -> [RandomTrace.Step] {
      (0..<50).flatMap { round in
        activities.enumerated().map { place, activity in
          RandomTrace.Step(activity: activity, mode: .default, after: step + Nanoseconds((round * 7 + place) % 13))
        }
      }
    }
    let entry = RandomTrace.Step(activity: .entry, mode: .default, after: 0)
    let blocking = steps(.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting)
    compare([entry] + blocking + steps(.exit).prefix(1), scale: 1, "blocking")
    compare([entry] + steps(.beforeTimers, .beforeSources) + steps(.exit).prefix(1), scale: 1, "not waiting")
    compare(steps(.entry, .beforeTimers, .beforeSources, .exit), scale: 1, "polling")
    compare(
      steps(.entry, .beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting, .exit), scale: 1, "run by run")
  }

  @Test("leaves what is rare to its caller, uncounted, from the named activity on")
  func rare() {
    let folding = Folding()
    let entry = RandomTrace.Step(activity: .entry, mode: .default, after: 0)
    let exit = RandomTrace.Step(activity: .exit, mode: .default, after: 0)
    folding.region.attend(from: 1)
    #expect(folding.usually(entry, at: 1.s) == .woke)
    #expect(folding.usually(exit, at: 2.s) == .rare)
    #expect(folding.region.activities == 1)
    folding.region.attend(from: 2)
    #expect(folding.usually(exit, at: 2.s) == .folded)
    folding.region.silence()
    #expect(folding.usually(entry, at: 2.s) == .rare)
  }
}
