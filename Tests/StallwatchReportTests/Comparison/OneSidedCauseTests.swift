import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// When a cause that only one side has is new or gone, and when it is a burst, hidden, or below the other's threshold.
@Suite("A comparison of causes that one side has alone")
struct OneSidedCauseTests: HandMadeSides {
  @Test("calls no cause gone that may be among stalls without a readable stack, nor new")
  func hidden() throws {
    func blaming(_ side: ComparedSide, _ activity: ThreadActivity) -> ComparedSide {
      var side = side
      side.causes["spin"]?.blame = Blame(activity: activity)
      return side
    }
    let base = blaming(side(["decode": steady(60), "spin": steady(20)]), .running)
    var new = side(["decode": steady(60)])
    #expect(verdicts(judge(base, new)) == ["gone spin rate"])
    // What else a thread did hides nothing.
    new.unread = [.blocked: 20]
    #expect(verdicts(judge(base, new)) == ["gone spin rate"])
    new.unread = [.running: 20]
    let comparison = judge(base, new)
    #expect(comparison.findings.isEmpty)
    #expect(comparison.changes.first { $0.subject == "spin" }?.hidden == 20)
    #expect(ComparisonTextRenderer().render(comparison).contains("up to 20 stalls of which no stack was read"))
    #expect(judge(new, base).findings.isEmpty)
    // Of few it can be none.
    new.unread = [.running: 2]
    #expect(verdicts(judge(new, base)) == ["new spin rate"])
  }

  @Test("lists eight new hangs beside none as new, in one session and in five", arguments: [1, 5])
  func newHangs(sessions: Int) {
    let base = side(["decode": steady(200)], sessions: sessions)
    let new = side(["decode": steady(200), "hang": steady(8, 600)], sessions: sessions)
    #expect(verdicts(judge(base, new)) == ["new hang rate"])
    #expect(judge(base, new).isRegression)
    #expect(verdicts(judge(new, base)) == ["gone hang rate"])
    // A few are listed, and are no finding.
    let few = judge(base, side(["decode": steady(200), "hang": steady(4, 600)], sessions: sessions))
    #expect(few.findings.isEmpty)
    let listed = few.changes.filter(\.isOneSided)
    #expect(listed.map(\.subject) == ["hang"])
    #expect(listed.first?.held?.new == (600 + 601 + 602 + 603) * .millisecond)
    #expect(listed.first?.needed == 8)
    #expect(ComparisonTextRenderer().render(few).contains("CAUSES OF ONE SIDE ONLY"))
  }

  @Test("counts a burst of new stalls as one, and weighs how long each side was watched")
  func bursts() {
    let base = side(["decode": steady(200)])
    #expect(judge(base, side(["decode": steady(200), "hang": steady(12, 600)], burst: true)).findings.isEmpty)
    let long = side(["decode": steady(800)], hours: 4)
    #expect(judge(long, side(["decode": steady(200), "hang": steady(5, 600)])).findings.map(\.subject) == ["hang"])
    let short = side(["decode": steady(50)], hours: 0.25)
    #expect(judge(short, side(["decode": steady(200), "hang": steady(8, 600)])).findings.isEmpty)
  }

  /// A session of an hour with hangs that begin so long after it did.
  private func hanging(_ starts: [Nanoseconds]) -> ComparedSide {
    var side = self.side(["decode": steady(200)])
    for start in starts.sorted() {
      side.sessions[0].addStall(cause: "hang", at: start, duration: 600 * .millisecond)
    }
    side.causes["hang"] = ComparedSide.Cause(
      signature: Self.signature("hang"), blame: nil,
      worst: (ComparedSide.Place(store: "store", stall: 7), 600 * .millisecond))
    return side
  }

  @Test("distinguishes very many new stalls from one long burst")
  func manyStalls() {
    let base = side(["decode": steady(200)])
    var random = SplitMix(state: 1)
    let starts = (0..<1_800).map { _ in Nanoseconds.random(in: 0..<3_600 * .second, using: &random) }
    #expect(verdicts(judge(base, hanging(starts))) == ["new hang rate"])
    // 2,100 in a minute, and as many in ten.
    for minutes in [1, 10] as [Nanoseconds] {
      let step: Nanoseconds = minutes * 60 * .second / 2_100
      let burst = (0..<2_100).map { number -> Nanoseconds in 600 * .second + Nanoseconds(number) * step }
      #expect(judge(base, hanging(burst)).findings.isEmpty)
    }
  }

  @Test("keeps starts from the whole session, also of two causes that are one")
  func thinning() {
    var (one, other) = (SessionCause(), SessionCause())
    for number in 0..<3_600 as Range<Nanoseconds> {
      one.add(.second, at: number * .second, slice: 0, within: 3_600 * .second)
      if number < 900 { other.add(.second, at: number * 4 * .second, slice: 0, within: 3_600 * .second) }
    }
    #expect(one.count == 3_600 && one.starts.count < 1_024 && one.starts.count > 256)
    #expect(other.starts.count == 900 && other.apart == 0)
    other.add(one)
    #expect(other.count == 4_500)
    #expect(other.starts.count < 1_024 && (other.starts.last ?? 0) > 3_500 * .second)
    #expect(zip(other.starts, other.starts.dropFirst()).allSatisfy { $1.since($0) >= other.apart })
    // Two causes of which nothing was left out.
    var half = SessionCause()
    for number in 0..<900 as Range<Nanoseconds> {
      half.add(.second, at: (number * 4 + 2) * .second, slice: 0, within: 3_600 * .second)
    }
    let before = half
    half.add(before)
    #expect(half.starts.count < 1_024 && half.count == 1_800)
  }

  @Test("survives a stall that began long after its session ended")
  func hostileOffsets() {
    var session = ComparedSession(duration: 1, threshold: 50 * .millisecond)
    session.addStall(cause: "late", at: .max, duration: .max)
    session.addStall(cause: "late", at: 0, duration: 1)
    let slices = session.causes["late"]?.bySlice.map(\.count)
    #expect(slices?.count == SessionCause.slices && slices?.first == 1 && slices?.last == 1)
  }

  @Test("weighs very many stalls against as many without a readable stack")
  func manyHidden() {
    var base = side(["decode": steady(200)], sessions: 5)
    var new = side(["decode": steady(200), "spin": steady(5_000)], sessions: 5)
    new.causes["spin"]?.blame = Blame(activity: .running)
    base.unread = [.running: 3_000]
    #expect(verdicts(judge(base, new)).contains("new spin rate"))
    base.unread = [.running: 5_000]
    #expect(judge(base, new).findings.isEmpty)
  }

  @Test("does not count what a faster session, or one with a higher threshold, would not have seen")
  func threshold() {
    let base = side(["decode": steady(200, 100)], sessions: 5)
    let more = side(["decode": steady(200, 100), "draw": steady(100, 30)], sessions: 5, threshold: 20 * .millisecond)
    let comparison = judge(base, more)
    #expect(comparison.findings.isEmpty)
    #expect(comparison.changes.contains { $0.subject == "draw" && $0.isOneSided })
  }
}
