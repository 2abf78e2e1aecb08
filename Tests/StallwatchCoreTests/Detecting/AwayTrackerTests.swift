import StallwatchCore
import Testing

@Suite("The away tracker")
struct AwayTrackerTests {
  /// A tracker with the numbering of its aways and the excluded time.
  private final class Watch {
    var exclusions = Exclusions()
    private(set) var numbers: UInt64 = 0
    private var tracker = AwayTracker(loop: LoopID(rawValue: 1), threshold: 50.ms)

    var current: StallBegan? { tracker.current }

    func deadline(at now: Nanoseconds) -> Nanoseconds? { tracker.deadline(excluding: exclusions, at: now) }

    /// A look at a thread that left at 1 s.
    func look(timer: Nanoseconds? = nil, queue: Nanoseconds? = nil, left: Nanoseconds = 1.s, at now: Nanoseconds)
      -> Record?
    {
      tracker.look(
        leftNs: left, mode: 3, due: DueWork(timerNs: timer, mainQueueNs: queue), excluding: exclusions, now: now,
        number: number, annotations: { ["screen": "Settings"] })
    }

    func take(_ kind: LongSpell.Kind, from start: Nanoseconds, to end: Nanoseconds) -> [Record] {
      let spell = LongSpell(
        kind: kind, phase: .waiting, depth: 0, mode: 3, start: start, end: end, own: end - start)
      return tracker.take(spell, excluding: exclusions, now: end, number: number, annotations: { [:] })
    }

    func reconcile(left: Nanoseconds?, at now: Nanoseconds, stopping: Bool = false) -> [Record] {
      tracker.reconcile(
        leftNs: left, excluding: exclusions, now: now, stopping: stopping, number: number, annotations: { [:] })
    }

    func late(due: Nanoseconds, modes: [Int] = [3], at now: Nanoseconds) -> [Record] {
      tracker.take(
        late: due, firedNs: now, modes: modes.reduce(0) { $0 | 1 << UInt64($1) }, excluding: exclusions, now: now,
        number: number, annotations: { [:] })
    }

    func cancel(at now: Nanoseconds) -> Record? { tracker.cancel(reason: "its thread has ended", at: now) }

    private func number() -> StallID {
      numbers += 1
      return StallID(rawValue: numbers)
    }
  }

  private func beginning(_ record: Record?) -> StallBegan? {
    if case .stallBegan(let began) = record { began } else { nil }
  }

  private func end(_ record: Record?) -> StallEnded? {
    if case .stallEnded(let ended) = record { ended } else { nil }
  }

  @Test("reports an away that goes on a threshold after something was due, once, and its exact end from the spell")
  func life() throws {
    let watch = Watch()
    #expect(watch.look(timer: 1.s + 10.ms, at: 1.s + 25.ms) == nil)
    #expect(watch.deadline(at: 1.s + 25.ms) == 1.s + 60.ms)
    #expect(watch.look(timer: 1.s + 10.ms, at: 1.s + 59.ms) == nil)
    let began = try #require(beginning(watch.look(timer: 1.s + 10.ms, at: 1.s + 60.ms)))
    #expect(began.kind == .away)
    #expect((began.startedNs, began.detectedNs) == (1.s + 10.ms, 1.s + 60.ms))
    #expect((began.mode, began.depth, began.phase) == (3, 0, .waiting))
    #expect(began.annotations == ["screen": "Settings"])
    #expect(watch.look(timer: 1.s + 10.ms, at: 1.s + 70.ms) == nil)
    #expect(watch.deadline(at: 1.s + 70.ms) == nil)
    let records = watch.take(.outside, from: 1.s, to: 4.s)
    #expect(records.count == 1)
    let ended = try #require(end(records.first))
    #expect((ended.id, ended.state, ended.duration) == (began.id, .ended, 2_990.ms))
    #expect(ended.reason == "a timer was due")
    #expect(watch.current == nil)
  }

  @Test("counts from when the thread left where something was due before")
  func dueBefore() throws {
    let watch = Watch()
    #expect(watch.look(timer: 900.ms, at: 1.s + 25.ms) == nil)
    #expect(beginning(watch.look(timer: 900.ms, at: 1.s + 50.ms))?.startedNs == 1.s)
  }

  @Test("does not count what was due before the look that found nothing due")
  func madeOverdue() throws {
    let watch = Watch()
    #expect(watch.look(at: 3.s) == nil)
    #expect(watch.look(timer: 0, at: 3.s + 20.ms) == nil)
    #expect(beginning(watch.look(timer: 0, at: 3.s + 60.ms))?.startedNs == 3.s)
  }

  @Test("is none for a thread that has nothing due")
  func nothingDue() {
    let watch = Watch()
    #expect(watch.look(at: 1.s + 25.ms) == nil)
    #expect(watch.look(at: 9.s) == nil)
    #expect(watch.take(.outside, from: 1.s, to: 10.s).isEmpty)
    #expect(watch.reconcile(left: 1.s, at: 11.s, stopping: true).isEmpty)
    #expect(watch.numbers == 0)
  }

  @Test("ends where nothing is due any more, at the last look that saw something due")
  func noLongerDue() throws {
    let watch = Watch()
    for now in [25.ms, 50.ms, 90.ms] { _ = watch.look(timer: 1.s, at: 1.s + now) }
    let ended = try #require(end(watch.look(at: 1.s + 100.ms)))
    #expect((ended.state, ended.duration) == (.ended, 90.ms))
    #expect(watch.take(.outside, from: 1.s, to: 10.s).isEmpty, "it is reported once")
  }

  @Test("is reported late, whole, where the watchdog did not see its threshold")
  func late() throws {
    let watch = Watch()
    _ = watch.look(queue: 1.s + 20.ms, at: 1.s + 20.ms)
    let records = watch.take(.outside, from: 1.s, to: 1.s + 90.ms)
    #expect(records.count == 2)
    #expect(beginning(records.first)?.startedNs == 1.s + 20.ms)
    #expect(end(records.last)?.duration == 70.ms)
    #expect(end(records.last)?.reason == "main-queue work was due")
  }

  @Test("is found by a timer that it made late where nobody looked while it went on, once")
  func unseen() throws {
    let watch = Watch()
    #expect(watch.take(.outside, from: 1.s, to: 1.s + 90.ms).isEmpty)
    #expect(watch.late(due: 1.s + 10.ms, modes: [2], at: 1.s + 95.ms).isEmpty, "a timer of another mode")
    #expect(watch.late(due: 1.s + 91.ms, at: 1.s + 95.ms).isEmpty, "it was due later")
    let records = watch.late(due: 1.s + 10.ms, at: 1.s + 95.ms)
    let began = try #require(beginning(records.first))
    #expect((began.kind, began.mode, began.startedNs, began.detectedNs) == (.away, 3, 1.s + 10.ms, 1.s + 95.ms))
    let ended = try #require(end(records.last))
    #expect((ended.state, ended.duration, ended.reason) == (.ended, 80.ms, "a timer was due"))
    #expect(watch.late(due: 1.s + 20.ms, at: 1.s + 96.ms).isEmpty)
    #expect(watch.numbers == 1)
  }

  @Test(
    "is not found by a timer that was due for less than the threshold, or in excluded time, or was not due at a look")
  func unseenButShort() {
    let (short, excluded, idle) = (Watch(), Watch(), Watch())
    _ = short.take(.outside, from: 1.s, to: 2.s)
    #expect(short.late(due: 2.s - 49.ms, at: 2.s).isEmpty)
    excluded.exclusions.add((1.s + 10.ms)..<(1.s + 970.ms))
    _ = excluded.take(.outside, from: 1.s, to: 2.s)
    #expect(excluded.late(due: 1.s, at: 2.s).isEmpty)
    #expect(idle.look(at: 2.s - 40.ms) == nil)
    _ = idle.take(.outside, from: 1.s, to: 2.s)
    #expect(idle.late(due: 1.s, at: 2.s).isEmpty, "the timer was made later than it was due")
  }

  @Test("is found where the late callout is read before the stay, but not by one that fired before the stay")
  func unseenReadLater() throws {
    let watch = Watch()
    #expect(watch.late(due: 900.ms, at: 990.ms).isEmpty, "late by something before")
    #expect(watch.late(due: 1.s + 10.ms, modes: [2], at: 1.s + 95.ms).isEmpty, "a timer of another mode")
    #expect(watch.late(due: 1.s + 10.ms, at: 1.s + 95.ms).isEmpty)
    let records = watch.take(.outside, from: 1.s, to: 1.s + 90.ms)
    #expect(beginning(records.first)?.startedNs == 1.s + 10.ms)
    #expect(end(records.last)?.duration == 80.ms)
    #expect(watch.take(.outside, from: 2.s, to: 3.s).isEmpty)
    #expect(watch.numbers == 1)
  }

  @Test("that goes on stays what it is while an earlier one is found")
  func unseenBefore() throws {
    let watch = Watch()
    _ = watch.take(.outside, from: 0, to: 900.ms)
    let going = try #require(beginning(watch.look(timer: 1.s, at: 1.s + 60.ms)))
    #expect(watch.late(due: 100.ms, at: 1.s + 70.ms).count == 2)
    #expect(watch.current?.id == going.id)
    #expect(end(watch.take(.outside, from: 1.s, to: 2.s).last)?.duration == 1.s)
  }

  @Test("is none where the thread came back before the threshold")
  func early() {
    let watch = Watch()
    _ = watch.look(timer: 1.s, at: 1.s + 30.ms)
    #expect(watch.reconcile(left: nil, at: 1.s + 45.ms).isEmpty)
    #expect(watch.deadline(at: 1.s + 46.ms) == nil)
    _ = watch.look(timer: 1.s + 46.ms, left: 1.s + 46.ms, at: 1.s + 70.ms)
    #expect(watch.deadline(at: 1.s + 70.ms) == 1.s + 96.ms)
  }

  @Test("lasts until watching stops, also where it was not known before")
  func stopping() throws {
    let watch = Watch()
    _ = watch.look(timer: 1.s, queue: 1.s, at: 1.s + 80.ms)
    let ended = try #require(end(watch.reconcile(left: 1.s, at: 3.s, stopping: true).last))
    #expect((ended.state, ended.duration) == (.ended, 2.s))
    #expect(ended.reason == "a timer and main-queue work were due")

    let other = Watch()
    _ = other.look(timer: 1.s, at: 1.s + 40.ms)
    #expect(other.reconcile(left: 1.s, at: 1.s + 60.ms, stopping: true).count == 2)
    #expect(other.numbers == 1)
  }

  @Test("holds no excluded time, and is cancelled where less than the threshold is left")
  func excluded() throws {
    let watch = Watch()
    _ = watch.look(timer: 1.s, at: 1.s + 25.ms)
    watch.exclusions.add((1.s + 30.ms)..<(2.s))
    #expect(watch.deadline(at: 2.s) == 2.s + 20.ms)
    #expect(beginning(watch.look(timer: 1.s, at: 2.s + 20.ms)) != nil)
    let whole = try #require(end(watch.take(.outside, from: 1.s, to: 2.s + 70.ms).last))
    #expect((whole.state, whole.duration) == (.ended, 100.ms))

    let other = Watch()
    _ = other.look(timer: 1.s, at: 1.s + 55.ms)
    other.exclusions.add((1.s + 10.ms)..<(1.s + 200.ms))
    let none = try #require(end(other.take(.outside, from: 1.s, to: 1.s + 210.ms).last))
    #expect((none.state, none.reason) == (.cancelled, "the process was suspended"))
  }

  @Test("is cancelled where the loop ran in a mode that was not observed, and with a thread that has ended its work")
  func cancelled() throws {
    let watch = Watch()
    _ = watch.look(timer: 1.s, at: 1.s + 60.ms)
    let ended = try #require(end(watch.take(.blind, from: 1.s, to: 2.s).last))
    #expect((ended.state, ended.reason) == (.cancelled, "the loop ran in a mode not yet observed"))

    let other = Watch()
    _ = other.look(timer: 1.s, at: 1.s + 60.ms)
    #expect(end(other.cancel(at: 2.s))?.state == .cancelled)
    #expect(other.cancel(at: 2.s) == nil)
  }
}
