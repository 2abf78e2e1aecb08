import SeededNumbers
import StallwatchCore
import Testing

@Suite("Stretches of time")
struct StretchTests {
  /// A reader of a traced loop, and all that it reported.
  private final class Reading {
    let loop: TraceLoop
    private var reader: LoopReader
    private(set) var stretches: [(mode: Int, stretch: ModeStretch)] = []

    init(_ loop: TraceLoop) {
      self.loop = loop
      loop.drains = false
      reader = LoopReader(loop: LoopID(rawValue: 7), region: loop.region, from: loop.now)
      for mode in TraceMode.allCases { reader.add(loop.counters(mode), retired: loop.retired(mode)) }
    }

    /// Reads, and returns what was new.
    @discardableResult
    func read(excluding exclusions: Exclusions = Exclusions()) -> [ModeStretch] {
      _ = reader.charge(reader.drain(), excluding: exclusions)
      let new = reader.deltas(at: loop.now, excluding: exclusions).flatMap { delta in
        delta.stretches.map { (mode: delta.mode, stretch: $0) }
      }
      stretches += new
      return new.map(\.stretch)
    }

    func sum(in mode: TraceMode? = nil, _ figure: (ModeStretch) -> UInt64) -> UInt64 {
      stretches.filter { mode == nil || $0.mode == mode?.rawValue }.reduce(0) { $0 + figure($1.stretch) }
    }
  }

  @Test("add up to the profile, whenever the loop is read, and to what goes on")
  func sums() {
    for seed in UInt64(0)..<40 {
      let reading = Reading(TraceLoop())
      let loop = reading.loop
      // Counts what the first sets aside, too.
      let twin = TraceLoop()
      var numbers = RandomNumbers(seed: seed)
      for step in RandomTrace(seed: seed).steps {
        loop.observe(step.activity, step.after, in: step.mode)
        twin.observe(step.activity, step.after, in: step.mode)
        if numbers.chance(4) { reading.read() }
      }
      reading.read()
      let position = loop.region.position
      for mode in TraceMode.allCases {
        let isHere = position.mode == mode.rawValue
        let span = isHere ? position.spanStart.map { loop.now - $0 } ?? 0 : 0
        let wait = isHere && position.isWaiting ? loop.now - loop.region.restStart : 0
        #expect(reading.sum(in: mode, \.busy) == twin.total(.span, in: mode) + span, "seed \(seed)")
        #expect(reading.sum(in: mode, \.waiting) == twin.total(.waiting, in: mode) + wait, "seed \(seed)")
        #expect(reading.sum(in: mode, \.iterations) == loop.counters(mode).iterations, "seed \(seed)")
      }
      #expect(reading.sum(\.outside) == loop.region.outside, "seed \(seed)")
      #expect(reading.stretches.allSatisfy { $0.stretch.startNs < $0.stretch.endNs })
      #expect(reading.stretches.allSatisfy { $0.stretch.endNs <= loop.now })
    }
  }

  /// A loop that waits since it was read.
  private func waiting() -> Reading {
    let reading = Reading(TraceLoop())
    reading.loop.entry()
    reading.loop.beforeTimers()
    reading.loop.beforeSources()
    reading.loop.beforeWaiting(1.ms)
    reading.read()
    return reading
  }

  @Test("have a wait where it was, and the work after it at its end")
  func waitThenWork() {
    let reading = waiting()
    let slept = reading.loop.now
    reading.loop.afterWaiting(10_000.ms)
    reading.loop.beforeTimers(5.ms)
    let new = reading.read()
    #expect(
      new == [
        ModeStretch(startNs: slept, endNs: slept + 10_000.ms, waiting: 10_000.ms),
        ModeStretch(
          startNs: slept + 10_000.ms, endNs: slept + 10_005.ms, busy: 5.ms, iterations: 1, longest: 5.ms),
      ])
  }

  @Test("have a span that goes on, as it is read, and its length so far")
  func openSpan() {
    let reading = waiting()
    reading.loop.afterWaiting(1.ms)
    reading.loop.now += 300.ms
    let first = reading.read()
    #expect(first.last?.busy == 300.ms)
    #expect(first.last?.longest == 300.ms)
    reading.loop.now += 200.ms
    #expect(
      reading.read() == [
        ModeStretch(
          startNs: reading.loop.now - 200.ms, endNs: reading.loop.now, busy: 200.ms, longest: 500.ms)
      ])
    reading.loop.beforeTimers(100.ms)
    #expect(reading.read().map(\.busy) == [100.ms])
    #expect(reading.sum(\.busy) == 601.ms)
  }

  @Test("leave excluded time out of a span that goes on")
  func excluded() {
    let reading = waiting()
    reading.loop.afterWaiting(1.ms)
    reading.loop.now += 400.ms
    var exclusions = Exclusions()
    exclusions.add(reading.loop.now - 350.ms..<reading.loop.now - 50.ms)
    #expect(reading.read(excluding: exclusions).last?.busy == 100.ms)
    reading.loop.beforeTimers(100.ms)
    reading.read(excluding: exclusions)
    #expect(reading.sum(\.busy) == 201.ms)
  }

  @Test("have time outside runs from the leaving to the return, once it is known")
  func outside() {
    let reading = waiting()
    reading.loop.afterWaiting(1.ms)
    reading.loop.exit(1.ms)
    reading.read()
    let left = reading.loop.now
    reading.loop.now += 50.ms
    #expect(reading.read().isEmpty)
    reading.loop.entry(2_000.ms)
    reading.loop.beforeTimers(3.ms)
    let new = reading.read()
    #expect(new.first == ModeStretch(startNs: left, endNs: left + 2_050.ms, outside: 2_050.ms))
    #expect(new.last?.startNs == left + 2_050.ms)
    #expect(new.last?.busy == 3.ms)
  }
}
