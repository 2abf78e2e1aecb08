import SeededNumbers
import Testing

@testable import StallwatchCore

@Suite("A loop's reader")
struct LoopReaderTests {
  /// What all of a reader's deltas come to.
  private struct Sum {
    var entries: UInt64 = 0
    var iterations: UInt64 = 0
    var starved: Nanoseconds = 0
    var count: [Metric: UInt64] = [:]
    var total: [Metric: Nanoseconds] = [:]
    var maximum: [Metric: Nanoseconds] = [:]
    var buckets: [Metric: [Int: UInt64]] = [:]

    mutating func add(_ delta: ProfileDelta) {
      entries += delta.entries
      iterations += delta.iterations
      starved += delta.starved
      for growth in delta.metrics {
        let metric = growth.metric
        count[metric, default: 0] += growth.count
        total[metric, default: 0] += growth.total
        maximum[metric] = growth.maximum
        for bucket in growth.buckets { buckets[metric, default: [:]][bucket.index, default: 0] += UInt64(bucket.count) }
        #expect(growth.count == growth.buckets.reduce(0) { $0 + UInt64($1.count) })
        #expect(growth.buckets.map(\.index) == growth.buckets.map(\.index).sorted())
        #expect(Set(growth.buckets.map(\.index)).count == growth.buckets.count)
      }
    }
  }

  /// A reader behind a reference, so that expectations can call what changes it.
  private final class Reading {
    private var reader: LoopReader
    init(_ reader: LoopReader) { self.reader = reader }
    func drain() -> [LongSpell] { reader.drain() }
    func charge(
      _ spells: [LongSpell], excluding exclusions: Exclusions = Exclusions(), unseenSpan: Nanoseconds? = nil
    ) -> [LongSpell] { reader.charge(spells, excluding: exclusions, unseenSpan: unseenSpan) }
    func deltas(at now: Nanoseconds) -> [ProfileDelta] { reader.deltas(at: now) }
    func progress(endedNs: Nanoseconds? = nil) -> LoopProgress? { reader.progress(endedNs: endedNs) }
    func losses() -> [LossRecord] { reader.losses() }
  }

  private func reading(_ loop: TraceLoop) -> Reading {
    loop.drains = false
    var reader = LoopReader(loop: LoopID(rawValue: 7), region: loop.region)
    for mode in TraceMode.allCases { reader.add(loop.counters(mode), retired: loop.retired(mode)) }
    return Reading(reader)
  }

  @Test("reports what came of an activity after it was counted, however late the loop's thread gets to it")
  func lateGrowth() {
    let loop = TraceLoop()
    let reader = reading(loop)
    loop.entry()
    for late in UInt64(1)...5 {
      loop.region.countActivity()
      // The thread lost its processor there, and the watchdog reads meanwhile.
      #expect(reader.deltas(at: late * 1_000).flatMap(\.metrics).isEmpty)
      loop.counters().record(.prepare, 50)
      #expect(reader.deltas(at: late * 1_000 + 500).flatMap(\.metrics).map(\.count) == [1])
      #expect(reader.deltas(at: late * 1_000 + 600).flatMap(\.metrics).isEmpty)
    }
  }

  @Test("reports growth that adds up, over any readings, to all that was counted and set aside")
  func deltas() {
    for seed in UInt64(0)..<30 {
      let loop = TraceLoop()
      let twin = TraceLoop()
      let reader = reading(loop)
      var sums = [Sum](repeating: Sum(), count: TraceMode.allCases.count)
      var numbers = RandomNumbers(seed: seed)
      func read() {
        _ = reader.charge(reader.drain())
        for delta in reader.deltas(at: loop.now) {
          #expect(delta.loop == LoopID(rawValue: 7))
          #expect(delta.atNs == loop.now)
          sums[delta.mode].add(delta)
        }
      }
      for step in RandomTrace(seed: seed).steps {
        let retired = loop.retired(step.mode)
        if retired.isAsked, numbers.chance(30) { loop.counters(step.mode).retire(to: retired) }
        loop.observe(step.activity, step.after, in: step.mode)
        twin.observe(step.activity, step.after, in: step.mode)
        if numbers.chance(10) {
          read()
          if retired.state == .none, numbers.chance(50) { retired.ask() }
        }
      }
      read()
      #expect(reader.deltas(at: loop.now).isEmpty, "nothing has grown since")

      for mode in TraceMode.allCases {
        let sum = sums[mode.rawValue]
        #expect(sum.entries == twin.counters(mode).entries)
        #expect(sum.iterations == twin.counters(mode).iterations)
        #expect(sum.starved == twin.counters(mode).starved)
        for metric in Metric.allCases {
          #expect(sum.count[metric, default: 0] == twin.count(metric, in: mode))
          #expect(sum.total[metric, default: 0] == twin.total(metric, in: mode))
        }
      }
    }
  }

  @Test("puts each sample into the histogram's right counter, also those set aside, and knows the longest")
  func buckets() throws {
    let loop = TraceLoop()
    let reader = reading(loop)
    loop.entry()
    for duration in [10.ms, 80.ms, 10.ms, 80.ms, 60.ms] {
      loop.beforeTimers()
      loop.beforeSources()
      loop.beforeWaiting()
      loop.afterWaiting(1.us)
      loop.beforeTimers(duration)
    }
    _ = reader.charge(reader.drain())
    let delta = try #require(reader.deltas(at: loop.now).first)
    let service = try #require(delta.metrics.first { $0.metric == .service })
    #expect(service.buckets.map(\.index) == [10.ms, 60.ms, 80.ms].map { HistogramLayout.index(of: $0) })
    #expect(service.buckets.map(\.count) == [2, 1, 2])
    #expect(service.total == 240.ms)
    #expect(service.maximum == 80.ms)
  }

  @Test("survives a histogram counter's wrapping around")
  func wrapping() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: ModeCounters.byteCount, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: ModeCounters.byteCount)
    defer { memory.deallocate() }
    let counters = ModeCounters(index: 0, memory: memory)
    let loop = TraceLoop()
    var reader = LoopReader(loop: LoopID(rawValue: 1), region: loop.region)
    reader.add(counters, retired: loop.retired())
    let reading = Reading(reader)

    func serve(_ times: Int) -> MetricDelta? {
      for _ in 1...times { loop.serve(1.ms, in: counters) }
      return reading.deltas(at: loop.now).first?.metrics.first { $0.metric == .service }
    }
    loop.serve(1.ms, in: counters)
    let counter = try #require(counters[.service].counter(at: HistogramLayout.index(of: 1.ms)))
    counter.pointee.store(.max - 2, ordering: .relaxed)
    #expect(serve(1)?.count == UInt64(UInt32.max) - 1, "what was there before the first reading, and one")
    #expect(serve(5)?.count == 5)
    #expect(counters[.service][HistogramLayout.index(of: 1.ms)] == 3)
    #expect(counters[.service].count == 7)
  }

  @Test("takes the time that the process did not run out of spells before they are samples")
  func excluding() throws {
    let loop = TraceLoop()
    let reader = reading(loop)
    loop.afterWaiting()
    let start = loop.now
    loop.exit(2.s)
    var exclusions = Exclusions()
    exclusions.add(start + 30.ms..<start + 2.s - 10.ms)
    let charged = reader.charge(reader.drain(), excluding: exclusions)

    #expect(charged.map(\.kind) == [.phase, .span])
    #expect(charged.map(\.own) == [40.ms, 40.ms])
    #expect(charged.map(\.end) == [start + 2.s, start + 2.s])
    let metrics = try #require(reader.deltas(at: loop.now).first).metrics
    #expect(metrics.map(\.metric) == [.service, .span])
    #expect(metrics.map(\.total) == [40.ms, 40.ms])
    #expect(metrics.map(\.maximum) == [40.ms, 40.ms])
  }

  @Test("makes a span in which the loop ran in an unseen mode blind, and none of its phase a sample")
  func unseenSpan() {
    let loop = TraceLoop()
    let reader = reading(loop)
    loop.beforeSources()
    loop.beforeWaiting(70.ms)
    loop.afterWaiting(1.s)
    let start = loop.now
    loop.entry(1.ms, in: .modal)
    loop.exit(60.ms, in: .modal)
    loop.beforeTimers(90.ms)
    let unseen = loop.now - 90.ms
    #expect(unseen > start)
    let charged = reader.charge(reader.drain(), unseenSpan: unseen)

    #expect(charged.map(\.kind) == [.phase, .span, .gap, .phase, .span, .blind])
    #expect(charged.last?.own == 90.ms)
    var totals: [Int: [Metric: Nanoseconds]] = [:]
    for delta in reader.deltas(at: loop.now) {
      for metric in delta.metrics { totals[delta.mode, default: [:]][metric.metric] = metric.total }
    }
    #expect(totals[0]?[.sources] == 70.ms)
    #expect(totals[0]?[.service] == nil, "the phase with the unseen run in it")
    #expect(totals[0]?[.span] == 70.ms + 1.ms)
    #expect(totals[2]?[.prepare] == 60.ms)
  }

  @Test("keeps congestion and blind time out of the profile")
  func noSamples() {
    let loop = TraceLoop()
    let reader = reading(loop)
    loop.entry()
    loop.beforeTimers(10.ms)
    loop.afterWaiting(1.s, in: .modal)
    loop.exit(30.ms, in: .modal)
    loop.beforeSources(25.ms)
    loop.beforeWaiting()
    let charged = reader.charge(reader.drain())
    #expect(charged.map(\.kind) == [.blind, .busyRun])
    let totals = reader.deltas(at: loop.now).flatMap(\.metrics).filter { $0.metric == .span }.map(\.total)
    #expect(totals == [35.ms, 30.ms])
  }

  @Test("reports the loop's progress since the last time, nothing when there was none, and its end in any case")
  func progress() throws {
    let loop = TraceLoop()
    let reader = reading(loop)
    #expect(reader.progress() == nil)
    loop.entry()
    loop.exit()
    loop.entry(5.ms)
    let first = try #require(reader.progress())
    #expect((first.outside, first.activities) == (5.ms, 3))
    #expect(first.endedNs == nil)
    #expect(reader.progress() == nil)
    loop.exit()
    loop.entry(7.ms)
    let second = try #require(reader.progress())
    #expect((second.outside, second.activities) == (7.ms, 2))
    let end = try #require(reader.progress(endedNs: 9.s))
    #expect((end.outside, end.activities) == (0, 0))
    #expect(end.endedNs == 9.s)
  }

  @Test("reports losses once, each kind for itself")
  func losses() {
    let loop = TraceLoop()
    let reader = reading(loop)
    #expect(reader.losses().isEmpty)
    for _ in 0..<LoopFold.maximumDepth + 2 { loop.entry() }
    #expect(reader.losses().map(\.what) == ["activations"])
    #expect(reader.losses().isEmpty)
    loop.entry()
    for _ in 0...LoopFold.maximumDepth + 2 { loop.exit() }
    loop.entry()
    for _ in 0..<SharedQueue<LongSpell>.capacity { loop.beforeTimers(60.ms) }
    let losses = reader.losses()
    #expect(losses.map(\.what) == ["spans", "activations"])
    #expect(losses.map(\.count) == [1, 1], "the blind interval of the deep runs took a place")
    #expect(reader.drain().count == SharedQueue<LongSpell>.capacity)
    #expect(reader.drain().isEmpty)
  }
}
