import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite("A comparison of recordings")
struct ComparisonTests {
  /// Chance that is the same in every run of the tests.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) | (state << 31)
    }
  }

  private static func signature(_ name: String) -> Signature {
    Signature(key: name, title: name, frames: [name], call: nil)
  }

  /// A side of one hour with these causes, each with its durations in milliseconds.
  private func side(
    _ causes: [String: [Nanoseconds]], hours: Double = 1, iterations: UInt64 = 100_000, spans: [Nanoseconds] = [],
    clumped: Bool = false
  ) -> ComparedSide {
    var side = ComparedSide()
    side.stores = ["store"]
    side.sessions = 1
    side.loopSeconds = hours * 3_600
    side.iterations = iterations
    side.sliceCount = 16
    for (name, durations) in causes {
      var cause = ComparedSide.Cause(
        signature: Self.signature(name), worst: (ComparedSide.Place(store: "store", stall: 7), durations.max() ?? 0))
      cause.count = durations.count
      cause.durations = durations.map { $0 * .millisecond }
      for place in durations.indices { cause.slices[clumped ? 0 : place % 16, default: 0] += 1 }
      side.causes[name] = cause
    }
    if !spans.isEmpty {
      side.modes[.init(loop: "main", mode: "default")] = ["span": .distribution(StoredMetric(samples: spans))]
    }
    return side
  }

  private func judge(_ base: ComparedSide, _ new: ComparedSide) -> Comparison { Comparer().judge(base: base, new: new) }

  private func verdicts(_ comparison: Comparison) -> [String] {
    comparison.findings.map { "\($0.verdict) \($0.subject) \($0.question)" }
  }

  private func steady(_ count: Int, _ length: Nanoseconds = 100) -> [Nanoseconds] {
    (0..<count).map { length + Nanoseconds($0 % 10) }
  }

  @Test("finds nothing between a recording and itself")
  func itself() {
    let one = side(["decode": steady(40), "sync": steady(12)], spans: (0..<5_000).map { 1_000_000 + $0 * 1_000 })
    let comparison = judge(one, one)
    #expect(comparison.findings.isEmpty)
    #expect(!comparison.isRegression)
  }

  @Test("names a cause that is new, gone, more often or longer")
  func kinds() {
    let base = side(["gone": steady(30), "often": steady(30), "longer": steady(30), "same": steady(30)])
    let new = side([
      "new": steady(30), "often": steady(100), "longer": steady(30, 130), "same": steady(30),
    ])
    let comparison = judge(base, new)
    #expect(
      Set(verdicts(comparison)) == ["new new rate", "gone gone rate", "worse often rate", "worse longer duration"])
    #expect(comparison.isRegression)
    #expect(verdicts(judge(new, base)).contains("better often rate"))
    #expect(comparison.findings.allSatisfy { $0.worst?.stall == 7 })
  }

  @Test("survives fires dropped beyond all bounds on both sides")
  func hugeDrops() {
    var one = side([:])
    one.timers[.init(loop: "main", timer: "poll")] = ["dropped_share": .share(part: .max, whole: .max)]
    #expect(!judge(one, one).isRegression)
  }

  @Test("counts by the hour: a longer recording has more stalls and is no worse")
  func lengths() {
    let base = side(["decode": steady(40)], hours: 1, iterations: 100_000)
    let new = side(["decode": steady(160)], hours: 4, iterations: 400_000)
    #expect(judge(base, new).findings.isEmpty)
  }

  @Test("takes what a higher load explains for no change")
  func load() {
    let base = side(["decode": steady(40)], iterations: 100_000)
    #expect(judge(base, side(["decode": steady(120)], iterations: 300_000)).findings.isEmpty)
    #expect(verdicts(judge(base, side(["decode": steady(120)], iterations: 100_000))) == ["worse decode rate"])
  }

  @Test("refuses to judge a few stalls, and says so")
  func tooLittle() {
    let comparison = judge(side(["decode": steady(1)]), side(["decode": steady(5), "new": steady(3)]))
    #expect(comparison.findings.isEmpty)
    #expect(comparison.changes.allSatisfy { $0.verdict == .unsure })
    #expect(ComparisonSections.verdict(comparison).contains("Too little data"))
    #expect(ComparisonTextRenderer().render(comparison).contains("TOO FEW STALLS TO JUDGE"))
  }

  @Test("does not take one clump of stalls for a new habit")
  func clump() {
    let base = side(["decode": steady(20)])
    #expect(judge(base, side(["decode": steady(60)], clumped: true)).findings.isEmpty)
    #expect(!judge(base, side(["decode": steady(60)])).findings.isEmpty)
  }

  @Test("names a percentile that moved by enough")
  func percentiles() {
    let spans = { (length: Nanoseconds) in (0..<100_000).map { length + Nanoseconds($0) % 101 * 10_000 } }
    let comparison = judge(side([:], spans: spans(10_000_000)), side([:], spans: spans(14_000_000)))
    #expect(comparison.findings.count == 3)
    #expect(comparison.findings.allSatisfy { $0.subject == "main in default" && $0.verdict == .worse })
    // A tenth of a millisecond is none.
    #expect(judge(side([:], spans: spans(100_000)), side([:], spans: spans(200_000))).findings.isEmpty)
  }

  @Test("compares how long the items of a queue waited, and not how long a run loop did")
  func delays() throws {
    func contents(_ wait: Nanoseconds) -> HandMadeContents {
      var contents = HandMadeContents()
      contents.addSession()
      let waits = (0..<100_000).map { wait + Nanoseconds($0) % 101 * 10_000 }
      contents.addLoop(samples: [.waiting: waits])
      contents.addLoop(id: 2, name: "images", mode: "items", samples: [.waiting: waits], kind: .queue)
      (contents.storedModes[1].windowsBusy, contents.storedModes[1].windowsWaiting) = (4 * .second, 6 * .second)
      return contents
    }
    let comparison = try Comparer().compare(
      base: [("base", contents(10 * .millisecond))], new: [("new", contents(14 * .millisecond))])
    #expect(comparison.findings.map(\.subject) == ["images", "images", "images"])
    #expect(comparison.findings.allSatisfy { $0.question.key == "delay" && $0.verdict == .worse })
    // The time that the queue was watched, and not the sum over its items.
    #expect((comparison.new.loopSeconds - comparison.base.loopSeconds).magnitude - 400 < 1)
    #expect(comparison.base.loopSeconds < 1_600)
  }

  /// Durations that stay alike for ten iterations, as those of programs do.
  private func scripted(_ seed: UInt64, slower: Double = 1) -> ComparedSide {
    var dice = Dice(state: seed)
    for _ in 0..<10 { _ = dice.next() }
    var causes: [String: [Nanoseconds]] = [:]
    for name in ["a", "b", "c", "d", "e"] {
      let factor = name == "c" ? slower : 1
      causes[name] = (0..<Int.random(in: 40...70, using: &dice)).map { _ in
        Nanoseconds(Double.random(in: 60...84, using: &dice) * factor)
      }
    }
    var spans: [Nanoseconds] = []
    for _ in 0..<400 {
      let length = Nanoseconds.random(in: 1_000_000...20_000_000, using: &dice)
      for _ in 0..<10 { spans.append(length + .random(in: 0...500_000, using: &dice)) }
    }
    return side(causes, spans: spans)
  }

  @Test("finds nothing in 200 pairs that differ by chance alone")
  func falseFindings() {
    let wrong = (0..<200 as Range<UInt64>).filter { pair in
      !judge(scripted(2 * pair + 1), scripted(2 * pair + 2)).findings.isEmpty
    }
    #expect(wrong.isEmpty)
  }

  @Test("names the one cause that became 20 % slower in nearly all of 100 pairs")
  func power() {
    let right = (0..<100 as Range<UInt64>).filter { pair in
      verdicts(judge(scripted(2 * pair + 1), scripted(2 * pair + 2, slower: 1.2))).contains("worse c duration")
    }
    #expect(right.count >= 97)
  }

  @Test("pools the sessions and stores of each side")
  func pooling() throws {
    let (busy, killed) = (HandMadeContents.busy, HandMadeContents.killed)
    let comparison = try Comparer().compare(
      base: [("one", busy), ("two", killed)], new: [("three", killed)])
    #expect(comparison.base.stores == ["one", "two"])
    #expect(comparison.base.sessions == 2)
    #expect(comparison.base.stalls.count == (try busy.report().stalls.counts.count) + 1)
    #expect(comparison.new.stalls.fatalCount == 1)
  }

  @Test("is told in text, Markdown and JSON, hostile names as text")
  func renderings() throws {
    let comparison = judge(side(["`<b>\u{1B}[31m": steady(10)]), side(["`<b>\u{1B}[31m": steady(90), "x": steady(2)]))
    let text = ComparisonTextRenderer().render(comparison)
    #expect(text.contains("Worse: `<b>�[31m."))
    #expect(text.contains("× 9.0"))
    let markdown = ComparisonMarkdownRenderer().render(comparison)
    #expect(markdown.contains("\\`&lt;b&gt;"))
    let object = try JSONText { try ComparisonJSONRenderer().render(comparison, into: $0) }.object
    #expect(object["schema"] as? String == "stallwatch.diff/1")
    #expect(object["regression"] as? Bool == true)
  }
}
