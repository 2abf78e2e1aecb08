import StallwatchCore
import Testing

@Suite("The stall tracker")
struct StallTrackerTests {
  /// A tracker with the numbering of its stalls and the excluded time.
  private final class Watch {
    var exclusions = Exclusions()
    private(set) var numbers: UInt64 = 0
    private var tracker = StallTracker(loop: LoopID(rawValue: 1), threshold: 50.ms)

    var current: StallBegan? { tracker.current }

    func deadline(_ position: LoopPosition, at now: Nanoseconds) -> Nanoseconds? {
      tracker.deadline(for: position, excluding: exclusions, at: now)
    }

    func look(_ position: LoopPosition, at now: Nanoseconds) -> StallBegan? {
      tracker.look(
        at: position, excluding: exclusions, now: now, number: number, annotations: { ["screen": "Settings"] })
    }

    func take(_ spell: LongSpell, at now: Nanoseconds) -> [Record] {
      tracker.take(spell, now: now, number: number, annotations: { [:] })
    }

    func reconcile(_ position: LoopPosition, at now: Nanoseconds, stopping: Bool = false) -> Record? {
      tracker.reconcile(with: position, excluding: exclusions, now: now, stopping: stopping)
    }

    private func number() -> StallID {
      numbers += 1
      return StallID(rawValue: numbers)
    }
  }

  private func held(since start: Nanoseconds?) -> LoopPosition {
    LoopPosition(spanStart: start, mode: 3, depth: 2, phase: start == nil ? .waiting : .service)
  }

  private func span(
    _ kind: LongSpell.Kind = .span, from start: Nanoseconds, to end: Nanoseconds, own: Nanoseconds? = nil
  ) -> LongSpell {
    LongSpell(kind: kind, phase: .sources, depth: 2, mode: 3, start: start, end: end, own: own ?? end - start)
  }

  /// The ends in what a tracker returned.
  private func ends(_ records: [Record]) -> [StallEnded] {
    records.compactMap { if case .stallEnded(let ended) = $0 { ended } else { nil } }
  }

  private func beginnings(_ records: [Record]) -> [StallBegan] {
    records.compactMap { if case .stallBegan(let began) = $0 { began } else { nil } }
  }

  @Test("reports a stall that goes on at its threshold, once, and its exact end from the spell")
  func life() throws {
    let watch = Watch()
    let position = held(since: 1.s)
    #expect(watch.deadline(position, at: 1.s) == 1.s + 50.ms)
    #expect(watch.look(position, at: 1.s + 50.ms - 1) == nil)
    let began = try #require(watch.look(position, at: 1.s + 50.ms))
    #expect(began.id == StallID(rawValue: 1))
    #expect(began.kind == .stall)
    #expect((began.mode, began.depth, began.phase) == (3, 2, .service))
    #expect((began.startedNs, began.detectedNs) == (1.s, 1.s + 50.ms))
    #expect(began.annotations == ["screen": "Settings"])
    #expect(watch.current?.id == began.id)
    #expect(watch.deadline(position, at: 2.s) == nil)
    #expect(watch.look(position, at: 2.s) == nil)

    let records = watch.take(span(from: 1.s, to: 3.s), at: 4.s)
    #expect(beginnings(records).isEmpty)
    let end = try #require(ends(records).first)
    #expect((end.id, end.state, end.duration, end.phase) == (began.id, .ended, 2.s, .sources))
    #expect(end.reason == nil)
    #expect(watch.current == nil)
    #expect(watch.numbers == 1)
  }

  @Test("sees no stall in a loop that waits")
  func waiting() {
    let watch = Watch()
    #expect(watch.deadline(held(since: nil), at: 1.s) == nil)
    #expect(watch.look(held(since: nil), at: 9.s) == nil)
  }

  @Test("reports a stall late that was over before the watchdog saw it")
  func late() throws {
    let watch = Watch()
    let records = watch.take(span(from: 1.s, to: 1.s + 50.ms), at: 2.s)
    #expect(records.count == 2)
    let began = try #require(beginnings(records).first)
    let end = try #require(ends(records).first)
    #expect((began.startedNs, began.detectedNs, began.kind) == (1.s, 2.s, .stall))
    #expect((end.id, end.state, end.duration) == (began.id, .ended, 50.ms))
    #expect(watch.look(held(since: 1.s), at: 3.s) == nil, "a look from before the end reports it no second time")
    #expect(watch.deadline(held(since: 1.s), at: 3.s) == nil)
    #expect(watch.look(held(since: 1.s + 50.ms), at: 3.s) != nil, "the next span may begin where it ended")
  }

  @Test("knows of no stall before it was over, though the clock was read before")
  func lateButEarly() {
    let watch = Watch()
    let records = watch.take(span(from: 1.s, to: 1.s + 60.ms), at: 1.s + 59.ms)
    #expect(beginnings(records).map(\.detectedNs) == [1.s + 60.ms])
  }

  @Test("reports congestion when it is over")
  func congestion() throws {
    let watch = Watch()
    let records = watch.take(span(.busyRun, from: 1.s, to: 3.s, own: 60.ms), at: 4.s)
    #expect(beginnings(records).map(\.kind) == [.congestion])
    #expect(ends(records).map(\.duration) == [60.ms])
    #expect(watch.take(span(.busyRun, from: 5.s, to: 6.s, own: 50.ms - 1), at: 7.s).isEmpty)
  }

  @Test("takes long phases and gaps for samples, no stalls")
  func samples() {
    let watch = Watch()
    #expect(watch.take(span(.phase, from: 1.s, to: 3.s), at: 4.s).isEmpty)
    #expect(watch.take(span(.gap, from: 1.s, to: 3.s), at: 4.s).isEmpty)
  }

  @Test("puts the threshold off by the time that the process did not run")
  func putOff() {
    let watch = Watch()
    watch.exclusions.add(1.s + 10.ms..<2.s)
    let position = held(since: 1.s)
    #expect(watch.deadline(position, at: 2.s) == 2.s + 40.ms)
    #expect(watch.look(position, at: 2.s + 40.ms - 1) == nil)
    #expect(watch.look(position, at: 2.s + 40.ms) != nil)
  }

  @Test("cancels a stall that comes to nothing without the time that the process did not run")
  func suspended() throws {
    let watch = Watch()
    let began = try #require(watch.look(held(since: 1.s), at: 1.s + 60.ms))
    let end = try #require(ends(watch.take(span(from: 1.s, to: 3.s, own: 50.ms - 1), at: 3.s)).first)
    #expect((end.id, end.state, end.duration) == (began.id, .cancelled, 50.ms - 1))
    #expect(end.reason == "the process was suspended")
    #expect(watch.current == nil)
    #expect(watch.take(span(from: 4.s, to: 6.s, own: 20.ms), at: 6.s).isEmpty, "one never seen is not reported")
  }

  @Test("leaves a stall in whose middle the process was suspended its own duration")
  func suspendedInTheMiddle() throws {
    let watch = Watch()
    _ = watch.look(held(since: 1.s), at: 1.s + 60.ms)
    let end = try #require(ends(watch.take(span(from: 1.s, to: 3.s, own: 70.ms), at: 3.s)).first)
    #expect((end.state, end.duration) == (.ended, 70.ms))
  }

  @Test("cancels the stall of a loop that ran in an unseen mode, and no other")
  func unseen() throws {
    let watch = Watch()
    let began = try #require(watch.look(held(since: 1.s), at: 2.s))
    let end = try #require(ends(watch.take(span(.blind, from: 1.s + 10, to: 3.s), at: 3.s)).first)
    #expect((end.id, end.state) == (began.id, .cancelled))
    #expect(end.reason == "the loop ran in a mode not yet observed")
    #expect(watch.look(held(since: 1.s), at: 4.s) == nil)

    #expect(watch.look(held(since: 3.s), at: 4.s) != nil)
    #expect(watch.take(span(.blind, from: 1.s, to: 3.s), at: 4.s).isEmpty, "it ended where this one began")
    #expect(watch.current?.startedNs == 3.s)
  }

  @Test("ends a stall whose end was lost as soon as the loop is seen elsewhere", arguments: [nil, 2.s])
  func lost(next: Nanoseconds?) throws {
    let watch = Watch()
    let began = try #require(watch.look(held(since: 1.s), at: 1.s + 50.ms))
    #expect(watch.reconcile(held(since: 1.s), at: 2.s) == nil, "it goes on")
    let record = try #require(watch.reconcile(held(since: next), at: 3.s))
    let end = try #require(ends([record]).first)
    #expect((end.id, end.state, end.reason) == (began.id, .ended, "its end was lost"))
    #expect(end.duration == (next ?? 3.s) - 1.s)
    #expect(watch.reconcile(held(since: next), at: 3.s) == nil)
  }

  @Test("ends the stall that goes on when watching stops, without the time that the process did not run")
  func stopping() throws {
    let watch = Watch()
    #expect(watch.reconcile(held(since: 1.s), at: 2.s, stopping: true) == nil)
    _ = watch.look(held(since: 1.s), at: 2.s)
    watch.exclusions.add(2.s..<3.s)
    let record = try #require(
      watch.reconcile(held(since: 1.s), at: 4.s, stopping: true))
    let end = try #require(ends([record]).first)
    #expect((end.state, end.duration, end.reason) == (.ended, 2.s, "watching stopped"))
    #expect(watch.current == nil)
  }

  @Test(
    "agrees with the fold: reports each stall of a loop that is looked at all the time once, with its exact duration")
  func withFold() {
    for seed in UInt64(0)..<100 {
      let loop = TraceLoop()
      let watch = Watch()
      var records: [Record] = []
      var taken = 0
      for step in RandomTrace(seed: seed).steps {
        let position = loop.region.position
        if let began = watch.look(position, at: loop.now + step.after) { records.append(.stallBegan(began)) }
        loop.observe(step.activity, step.after, in: step.mode)
        for spell in loop.spells[taken...] { records += watch.take(spell, at: loop.now) }
        taken = loop.spells.count
        #expect(watch.reconcile(loop.region.position, at: loop.now) == nil, "no end is lost")
      }
      let reported = ends(records)
      let stalls = loop.spells.filter { $0.kind == .span || $0.kind == .busyRun }
      #expect(reported.map(\.duration) == stalls.map(\.own), "seed \(seed)")
      #expect(reported.allSatisfy { $0.state == .ended })
      #expect(beginnings(records).map(\.id) == reported.map(\.id))
    }
  }
}
