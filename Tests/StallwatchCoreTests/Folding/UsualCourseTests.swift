import SeededNumbers
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

    var counters: ModeCounters { modes[0] }

    /// Folds the end of an item at `end`, and the begin of the next one at `begin` if the lane waited. By activities, unless
    /// `usually` and all is usual.
    func item(until end: Nanoseconds, nextAt begin: Nanoseconds?, usually: Bool) {
      let waits = begin != nil
      if !usually || !fold.endItem(waits: waits, in: counters, at: end) {
        if waits, usually {
          counters.countItem()
        } else {
          _ = fold.take(in: counters, at: end, .beforeTimers)
          _ = fold.take(in: counters, at: end, .beforeSources)
        }
        if waits { _ = fold.take(in: counters, at: end, .beforeWaiting) }
      }
      guard let begin, !usually || !fold.beginItem(in: counters, at: begin) else { return }
      _ = fold.take(in: counters, at: begin, .afterWaiting)
    }

    /// Begin and end of each span and busy run of at least the threshold.
    func stalls() -> [[Nanoseconds]] {
      region.spells.drain().filter { [.span, .busyRun].contains($0.kind) }.map { [$0.start, $0.end] }
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

  private struct Item {
    var length: Nanoseconds
    /// The wait after it; nil: the next one begins at once.
    var wait: Nanoseconds?
  }

  private func fold(_ items: [Item], usually: Bool) -> Folding {
    let folding = Folding()
    var now: Nanoseconds = 1.s
    _ = folding.usually(RandomTrace.Step(activity: .entry, mode: .default, after: 0), at: now)
    for item in items {
      let end = now + item.length
      now = end + (item.wait ?? 0)
      folding.item(until: end, nextAt: item.wait.map { end + $0 }, usually: usually)
    }
    return folding
  }

  @Test("of items is one span each, of one phase")
  func items() {
    let items = (1...1_000).map { number -> Item in
      let wait = number % 3 == 0 ? nil : (number * 100).ns
      return Item(length: (number % 40 * 100 + 1).us, wait: wait)
    }
    let folding = fold(items, usually: true)
    #expect(folding.counters.iterations == 1_000)
    #expect(folding.counters[.span].count == 1_000)
    #expect(folding.counters[.span].total == items.reduce(0) { $0 + $1.length })
    // The first item is all that there is between the entry and its end.
    #expect(folding.counters[.prepare].count == 1 && folding.counters[.service].count == 999)
    #expect(folding.counters[.waiting].count == UInt64(items.count { $0.wait != nil }))
    #expect(folding.counters[.sources].count == 0 && folding.counters[.gap].count == 0)
  }

  @Test("of long items is one span each, too")
  func longItems() {
    let folding = fold((0..<20).map { _ in Item(length: 180.ms, wait: 200.ms) }, usually: true)
    #expect(folding.counters.iterations == 20)
    #expect(folding.counters[.span].count == 0)
    #expect(folding.stalls().count == 20)
  }

  @Test("of items comes to what the activities of a run loop come to")
  func itemsAsActivities() {
    var random = RandomNumbers(seed: 11)
    for _ in 0..<50 {
      let items = (0..<100).map { _ -> Item in
        let length = random.below(random.chance(3) ? 200_000 : 20_000).us
        return Item(length: length, wait: random.chance(25) ? nil : random.below(2_000).us)
      }
      let (one, other) = (fold(items, usually: true), fold(items, usually: false))
      #expect(one.counters.iterations == other.counters.iterations)
      for metric in [Metric.waiting, .span] { #expect(one.counters[metric].total == other.counters[metric].total) }
      #expect(one.counters[.waiting].count == other.counters[.waiting].count)
      #expect(one.counters[.span].count <= other.counters[.span].count)
      #expect(one.stalls() == other.stalls())
      #expect(one.region.restStart == other.region.restStart)
      #expect(one.region.activities < other.region.activities)
    }
  }

  @Test("of items is left, uncounted, where something is rare")
  func rareItems() {
    let folding = fold([Item(length: 1.ms, wait: 1.ms)], usually: true)
    let (iterations, activities) = (folding.counters.iterations, folding.region.activities)
    folding.region.attend(from: activities)
    folding.item(until: 2.s, nextAt: nil, usually: true)
    #expect(folding.counters.iterations == iterations)
    #expect(folding.region.activities == activities)
  }
}
