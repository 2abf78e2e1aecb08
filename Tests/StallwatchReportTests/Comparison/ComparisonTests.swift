import Foundation
import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite("A comparison of recordings")
struct ComparisonTests: HandMadeSides {
  @Test("finds nothing between a recording and itself", arguments: [1, 5])
  func itself(sessions: Int) {
    let one = side(
      ["decode": steady(40), "sync": steady(12)], sessions: sessions,
      spans: (0..<5_000).map { 1_000_000 + $0 * 1_000 })
    let comparison = judge(one, one)
    #expect(comparison.findings.isEmpty)
    #expect(!comparison.isRegression)
  }

  @Test("names a cause that is new, gone, more often or longer, by five sessions a side")
  func kinds() {
    let usual = ["same": steady(300), "other": steady(300, 80), "third": steady(300, 200)]
    let base = side(
      usual.merging(["gone": steady(40), "often": steady(100), "longer": steady(200)]) { $1 }, sessions: 5)
    let new = side(
      usual.merging(["new": steady(40), "often": steady(500), "longer": steady(200, 130)]) { $1 }, sessions: 5)
    let comparison = judge(base, new)
    #expect(
      Set(verdicts(comparison)) == ["new new rate", "gone gone rate", "worse often rate", "worse longer duration"])
    #expect(comparison.isRegression)
    #expect(comparison.isBySession && comparison.canShow)
    #expect(comparison.findings.allSatisfy { $0.isOneSided || $0.ratio?.low != nil })
    #expect(verdicts(judge(new, base)).contains("better often rate"))
    #expect(comparison.findings.allSatisfy { $0.worst?.stall == 7 })
    let same = comparison.changes.first { $0.subject == "same" && $0.question == .duration }
    #expect(same?.verdict == .notShown)
    #expect((same?.visible ?? 0) >= 1.1)
  }

  @Test("says nothing of a change between few sessions but how large it is between them")
  func few() throws {
    let usual = ["same": steady(60), "other": steady(60, 80)]
    let base = side(usual.merging(["longer": steady(60)]) { $1 })
    let new = side(usual.merging(["longer": steady(60, 130)]) { $1 })
    let comparison = judge(base, new)
    #expect(comparison.findings.isEmpty)
    #expect(!comparison.isBySession)
    let longer = try #require(comparison.changes.first { $0.subject == "longer" && $0.question == .duration }?.ratio)
    #expect((longer.value - 1.3).magnitude < 0.02)
    #expect(try #require(longer.low) > 1.2 && (try #require(longer.high)) < 1.4)
    let text = ComparisonTextRenderer().render(comparison)
    #expect(text.contains("Between these two recordings, longer: duration +29 %"))
    #expect(text.contains("record 5 sessions a side"))
    #expect(!text.contains("certain") && !text.contains("confidence"))
  }

  @Test("cannot show anything by four sessions a side at the usual confidence, and says how many could")
  func four() {
    let comparison = judge(
      side(["longer": steady(60), "same": steady(60)], sessions: 4),
      side(["longer": steady(60, 130), "same": steady(60)], sessions: 4))
    #expect(comparison.isBySession && !comparison.canShow)
    #expect(comparison.neededSessions == 5)
    #expect(comparison.findings.isEmpty)
    #expect(ComparisonWords.verdict(comparison).contains("record 5 a side"))
  }

  @Test("says by how much figures must differ as it is configured")
  func leastChange() {
    let (base, new) = (side(["longer": steady(60)]), side(["longer": steady(60, 130)]))
    var configuration = ComparisonConfiguration()
    #expect(!ComparisonWords.verdict(judge(base, new)).contains("is shown to differ"))
    configuration.leastChange = 0.5
    let comparison = Comparer(configuration: configuration).judge(base: base, new: new)
    #expect(ComparisonWords.verdict(comparison).contains("no figure that both have is shown to differ by 50 %"))
    let five = side(["longer": steady(60)], sessions: 5)
    let text = ComparisonTextRenderer().render(judge(five, five)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(text.contains("Chance makes something new or worse in at most 1.0 % of such comparisons"))
    #expect(text.contains("What is worse or better differs by at least 10 %."))
  }

  @Test("says the same every time, also where much is alike")
  func order() throws {
    var roots: [CauseDifference.Node] = []
    for name in ["c", "a", "d", "b"] {
      roots.append(CauseDifference.Node(label: name, place: nil, isSystem: false, base: 1e9, new: 2e9))
    }
    let tree = CauseDifference(signature: "x", name: "x", base: 4e9, new: 8e9, roots: roots)
    let html = DifferenceHTML.html([tree], judge(side(["x": steady(50)]), side(["x": steady(50)])))
    let list = try #require(html.range(of: "Functions that changed most"))
    // The list stands in the order of the names, after its label.
    let places = ["a", "b", "c", "d"].compactMap { html.range(of: ">\($0)<", range: list.upperBound..<html.endIndex) }
    #expect(places.count == 4)
    #expect(zip(places, places.dropFirst()).allSatisfy { $0.lowerBound < $1.lowerBound })
  }

  @Test("takes what all durations have in common for the machine's, up to a quarter")
  func machine() {
    let names = ["a", "b", "c", "d"]
    let all = { (length: Nanoseconds) in Dictionary(uniqueKeysWithValues: names.map { ($0, self.steady(300, length)) })
    }
    let base = side(all(100), sessions: 5)
    let tenth = judge(base, side(all(110), sessions: 5))
    #expect(tenth.findings.isEmpty)
    #expect(((tenth.speed?.ratio?.value ?? 0) - 1.1).magnitude < 0.01)
    #expect(
      ComparisonWords.verdict(tenth).contains("All durations together are 9.7 % longer, as a slower machine makes them")
    )
    let half = judge(base, side(all(150), sessions: 5))
    #expect(verdicts(half) == ["worse everything together speed"])
  }

  @Test("survives fires dropped beyond all bounds on both sides")
  func hugeDrops() {
    var one = side([:], sessions: 5)
    for place in one.sessions.indices {
      one.sessions[place].timers[.init(loop: "main", timer: "poll")] = [
        "dropped_share": .share(part: .max, whole: .max)
      ]
    }
    #expect(!judge(one, one).isRegression)
  }

  @Test("counts by the hour: a longer recording has more stalls and is no worse")
  func lengths() {
    let base = side(["decode": steady(200)], sessions: 5, hours: 1, iterations: 100_000)
    let new = side(["decode": steady(800)], sessions: 5, hours: 4, iterations: 400_000)
    #expect(judge(base, new).findings.isEmpty)
  }

  @Test("takes what a higher load explains for no change")
  func load() {
    let base = side(["decode": steady(200)], sessions: 5, iterations: 100_000)
    #expect(judge(base, side(["decode": steady(600)], sessions: 5, iterations: 300_000)).findings.isEmpty)
    #expect(
      verdicts(judge(base, side(["decode": steady(600)], sessions: 5, iterations: 100_000))) == ["worse decode rate"])
  }

  @Test("names a percentile that moved by enough")
  func percentiles() {
    let spans = { (length: Nanoseconds) in (0..<20_000).map { length + Nanoseconds($0) % 101 * 10_000 } }
    let usual = ["a": steady(300), "b": steady(300, 200), "c": steady(300, 80)]
    let base = side(usual, sessions: 5, spans: spans(10_000_000))
    let comparison = judge(base, side(usual, sessions: 5, spans: spans(14_000_000)))
    #expect(comparison.findings.count == 3)
    #expect(comparison.findings.allSatisfy { $0.subject == "main in default" && $0.verdict == .worse })
    // A tenth of a millisecond is none.
    #expect(
      judge(
        side(usual, sessions: 5, spans: spans(100_000)), side(usual, sessions: 5, spans: spans(200_000))
      ).findings.isEmpty)
  }

  @Test("compares how long the items of a queue waited, and not how long a run loop did")
  func delays() throws {
    func contents(_ wait: Nanoseconds, session: Int) -> HandMadeContents {
      var contents = HandMadeContents()
      contents.addSession()
      contents.storedSessions[0].record.process.pid = Int32(session)
      // Other measures of the sessions tell that the machine was no slower.
      let waits = (0..<100_000).map { wait + Nanoseconds($0) % 101 * 10_000 }
      contents.addLoop(samples: [.waiting: waits])
      contents.addLoop(id: 2, name: "images", mode: "items", samples: [.waiting: waits], kind: .queue)
      (contents.storedModes[1].windowsBusy, contents.storedModes[1].windowsWaiting) = (4 * .second, 6 * .second)
      return contents
    }
    let base = (0..<5).map { ("base", contents(10 * .millisecond, session: $0)) }
    let new = (5..<10).map { ("new", contents(14 * .millisecond, session: $0)) }
    let comparison = try Comparer().compare(base: base, new: new)
    #expect(comparison.findings.map(\.subject) == ["images", "images", "images"])
    #expect(comparison.findings.allSatisfy { $0.question.key == "delay" && $0.verdict == .worse })
    // The time that the queue was watched, and not the sum over its items.
    #expect((comparison.new.loopSeconds - comparison.base.loopSeconds - 2_000).magnitude < 5)
    #expect(comparison.base.loopSeconds < 8_000)
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
    // Given twice, a session counts once.
    let twice = try Comparer().compare(base: [("one", busy), ("copy", busy)], new: [("three", killed)])
    #expect(twice.base.sessions == 1)
    #expect(twice.base.repeated == 1)
    #expect(twice.base.stalls.count == (try busy.report().stalls.counts.count))
  }

  @Test("is a page without a script, with flame graphs that are red and blue")
  func page() throws {
    let example = try SampledExample()
    var more = example.contents
    more.storedSessions[0].record.process.pid = 5
    // The second cause is gone, and the first one has twice the time.
    more.storedStalls.removeAll { $0.id == 3 }
    for sample in more.storedSamples[1, default: []].indices { more.storedSamples[1]?[sample].weight *= 2 }
    let (base, new) = ([("base", example.contents)], [("new", more)])
    let comparison = try Comparer().compare(base: base, new: new)
    let trees = try withExtendedLifetime(example.directory) {
      try DifferenceBuilder().trees(comparison, base: base, new: new)
    }
    #expect(trees.count == 3)
    let whole = try #require(trees.first)
    #expect(whole.new > whole.base && whole.base > 0)
    #expect(trees.contains { $0.new == 0 && $0.base > 0 })
    var html = ""
    try ComparisonHTMLRenderer().render(comparison, trees) { html += $0 }
    #expect(!html.contains("<script"))
    #expect(html.contains("script-src") == false && html.contains("default-src 'none'"))
    let verdict = try #require(html.range(of: "id=\"verdict\""))
    let graph = try #require(html.range(of: "id=\"difference\""))
    #expect(verdict.lowerBound < graph.lowerBound)
    #expect(html.contains("color-mix(in srgb, var(--more)") && html.contains("color-mix(in srgb, var(--less) 100%"))
    #expect(html.contains("Causes of one side only"))
    // Names that mean harm stay text.
    let hostile = judge(side(["x": steady(50)]), side(["x": steady(50), "<script>": steady(90)]))
    var page = ""
    let tree = CauseDifference(signature: "<script>", name: "<script>", base: 1, new: 2)
    try ComparisonHTMLRenderer().render(hostile, [tree]) { page += $0 }
    #expect(!page.contains("<script") && page.contains("&lt;script&gt;"))
  }

  @Test("says the same in text, Markdown and JSON, and shows hostile names as text")
  func renderings() throws {
    let comparison = judge(side(["x": steady(50)]), side(["x": steady(50), "`<b>\u{1B}[31m": steady(90)]))
    let text = ComparisonTextRenderer().render(comparison)
    #expect(text.contains("New: `<b>�[31m."))
    let markdown = ComparisonMarkdownRenderer().render(comparison)
    #expect(markdown.contains("\\`&lt;b&gt;"))
    let object = try JSONText { try ComparisonJSONRenderer().render(comparison, into: $0) }.object
    #expect(object["schema"] as? String == "stallwatch.diff/2")
    #expect(object["regression"] as? Bool == true)
  }
}
