import Testing

@testable import StallwatchCore

/// A session of years, or a clock that says anything: sums stop at the greatest value, and nothing traps.
@Suite("A clock that says anything")
struct AbsurdClockTests {
  @Test("leaves exclusions, grids and the series of samples whole")
  func sums() {
    var exclusions = Exclusions()
    exclusions.add(0..<UInt64.max)
    #expect(exclusions.overlap(from: 0, to: .max) == .max)
    #expect(DueGrid(first: 0, interval: 1).count(until: .max) == .max)
    let fire = LateFire(slot: 0, isCallout: true, due: .max - 1, interval: 7, from: .max, at: .max)
    #expect(fire.missed == 0)
    var series = SampleSeries(every: .max, from: 5)
    series.skip(at: .max)
    #expect(series.nextNs == .max)
  }

  @Test("makes a timer whose due times lie at the end of time neither trap nor drop what was not due")
  func timer() {
    let (ledger, loop) = (memory(TimerCounters.byteCount), memory(LoopRegion.byteCount))
    defer { for memory in [ledger, loop] { memory.deallocate() } }
    let timer = TimerCounters(memory: ledger)
    let fold = TimerFold(counters: timer, slot: 0, region: LoopRegion(memory: loop), threshold: 50)
    timer.arm(due: .max - 2, interval: .max)
    fold.begin(due: .max - 2, interval: .max, at: .max - 1)
    fold.end(at: .max)
    fold.rearm(to: .max, at: .max)
    fold.finish(at: .max)
    #expect(timer.fired == 1)
  }

  @Test("adds up what spells a loop's thread set aside to no more than the greatest value")
  func profile() throws {
    let (loop, mode) = (memory(LoopRegion.byteCount), memory(ModeCounters.byteCount))
    let retired = memory(RetiredCounters.byteCount)
    defer { for memory in [loop, mode, retired] { memory.deallocate() } }
    let region = LoopRegion(memory: loop)
    var reader = LoopReader(loop: LoopID(rawValue: 1), region: region)
    reader.add(ModeCounters(index: 0, memory: mode), retired: RetiredCounters(memory: retired))
    for _ in 0..<2 {
      #expect(
        region.spells.push(
          LongSpell(kind: .span, phase: .service, depth: 1, mode: 0, start: 0, end: .max, own: .max)))
    }
    _ = reader.charge(reader.drain(), excluding: Exclusions())
    let delta = try #require(reader.deltas(at: 1).first?.metrics.first)
    #expect(delta.count == 2)
    #expect(delta.total == .max)
  }

  @Test("makes counters that are used again like new, without touching what was never used")
  func clear() throws {
    let memory = memory(ModeCounters.byteCount)
    defer { memory.deallocate() }
    let counters = ModeCounters(index: 0, memory: memory)
    for duration in [0, 300, 70_000, 5_000_000, .max] as [Nanoseconds] { counters.record(.span, duration) }
    counters.record(.waiting, 9)
    counters.entered()
    counters.clear()
    let bytes = UnsafeRawBufferPointer(start: memory, count: ModeCounters.byteCount)
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  private func memory(_ count: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    return memory
  }
}
