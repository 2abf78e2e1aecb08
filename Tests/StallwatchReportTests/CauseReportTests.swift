import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchSymbols

/// What the samples add to a report and to lists of stalls.
@Suite(.serialized) struct CauseReportTests {
  @Test func stallsOfOneCauseAreCountedTogether() throws {
    let report = try SampledExample().report()
    let signatures = report.stalls.signatures
    #expect(signatures.map(\.count) == [2, 1])
    #expect(signatures[0].total == 902 * .millisecond)
    #expect(signatures[0].worst == 812 * .millisecond)
    #expect(signatures[0].worstStall == 1)
    #expect(signatures[0].signature.title == "report(_:) · fsync")
    #expect(signatures[0].cause?.blocked == 1_400 * .millisecond)
    #expect(signatures[1].signature.call == nil)
  }

  @Test func causesThatAreNotShownAreCounted() throws {
    let report = try SampledExample().report()
    let rest = Figure.duration(report.stalls.signatures[1].total)
    #expect(CausesSection.section(report, limit: 1)?.notes.first == "and 1 more cause, \(rest) in all.")
    #expect(CausesSection.section(report, limit: 0)?.notes.first?.hasPrefix("and 2 more causes, ") == true)
  }

  @Test func causesAndWhatIsUnknownAddUpToWhatWasHeld() throws {
    let stalls = try SampledExample().report().stalls
    #expect(stalls.unattributed.unsampledCount > 0)
    #expect(stalls.signatures.map(\.count).reduce(0, +) + stalls.unattributed.count == stalls.counts.listedCount)
    let total = stalls.counts.total + stalls.counts.congestionTotal + stalls.counts.awayTotal
    #expect(stalls.signatures.map(\.total).reduce(0, +) + stalls.unattributed.total == total)
    let table = CausesSection.section(try SampledExample().report(), limit: 1)?.table
    #expect(table?.sentences.last?.hasPrefix("Unknown: ") == true)
  }

  @Test func theVerdictBeginsWithTheMainCause() throws {
    let first = try #require(try SampledExample().report().verdict.sentences.first)
    #expect(first.hasPrefix("report(_:) at Loader.swift:"))
    #expect(first.contains(" waits for a lock that the thread writer holds in report(_:) at Loader.swift:"))
    #expect(first.hasSuffix(": 902 ms in 2 stalls."))
  }

  @Test func jsonHasTheCauses() throws {
    let report = try SampledExample().report()
    let json = try JSONText { try JSONRenderer().render(report, into: $0) }.object
    let stalls = try json.object("stalls")
    let signature = try stalls.list("signatures")[0]
    #expect(
      Set(signature.keys) == [
        "signature", "title", "sentence", "function", "file", "line", "called", "waits_in", "target", "holder", "count",
        "total_ns", "worst_ns", "worst_stall", "cause", "frames",
      ])
    #expect(Set(try stalls.object("unattributed").keys) == ["count", "unsampled_count", "unread_count", "total_ns"])
    let items = try stalls.list("items")
    let first = try #require(items.first { $0["id"] as? Int == 1 })
    #expect(first["signature"] as? String == signature["signature"] as? String)
    #expect(try first.object("blocked_on")["system_call"] as? String == "fsync")
    let cause = try first.object("cause")
    let shares = ["running", "blocked", "starved"].compactMap { cause[$0] as? Double }
    #expect(abs(shares.reduce(0, +) - 1) < 1e-9)
    let unsampled = try #require(items.first { $0["id"] as? Int == 4 })
    for key in ["callout", "cause", "blocked_on", "signature"] { #expect(unsampled.isNull(key)) }
    #expect(unsampled["samples"] as? Int == 0)
    let profile = try json.list("profiles")[0]
    #expect(Set(profile.keys) == ["loop", "samples", "weight_ns", "calls"])
    #expect(try profile.number("samples") == 100)
  }

  @Test func theListOfStallsHasTheSameFigures() throws {
    let example = try SampledExample()
    let lister = try StallLister(example.contents)
    let json = try withExtendedLifetime(example) { try JSONText { try StallsJSONRenderer().render(lister, into: $0) } }
    let items = try json.object.list("items")
    #expect(items.map { $0["samples"] as? Int } == [10, 1, 2, 0, 1])
    #expect(items[0]["signature"] as? String == items[1]["signature"] as? String)
  }

  @Test func theTextShowsCausesAndProfiles() throws {
    let text = TextRenderer().render(try SampledExample().report())
    #expect(text.contains("CAUSES, MOST TIME FIRST"))
    #expect(text.contains("waits for a lock that the thread writer holds"))
    #expect(text.contains("blocked 92 %"))
    #expect(text.contains("WHAT KEPT THE LOOP BUSY"))
    #expect(text.contains("Loop main: 100 samples of 1.00 s busy time."))
    for line in text.split(separator: "\n") { #expect(DisplayText.width(of: String(line)) <= 100, "\(line)") }
  }

  @Test func aChangedBinaryIsSaidOnceAndNamesNothing() throws {
    var example = try SampledExample()
    example.contents.storedImages[1] = example.program.images.map { image in
      var image = image
      if image.path == example.program.path { image.buildID = "00112233445566778899aabbccddeeff00112233" }
      return image
    }
    let text = TextRenderer().render(try example.report())
    #expect(text.split(separator: "binary changed since recording").count == 2)
    #expect(!text.contains("report(_:)"))
    #expect(text.contains("loader + 0x"))
    let json = try JSONText { try JSONRenderer().render(try example.report(), into: $0) }.object
    let note = try #require(try json.list("symbols").first { $0["path"] as? String == example.program.path })
    #expect(note["state"] as? String == "changed")
  }

  @Test func aTreeLeavesOutWhatIsLightAndAddsUp() {
    var tree = CallTree()
    func frames(_ names: String) -> [Frame] {
      names.split(separator: " ").reversed().map { Frame(name: String($0), image: "/app", offset: 1) }
    }
    tree.add(frames("a b c"), weight: 600)
    tree.add(frames("a b d"), weight: 395)
    tree.add(frames("e"), weight: 5)
    tree.add([], weight: 10)
    tree.prune(below: 0.01)
    #expect(tree.total == 1_010)
    #expect(tree.unreadShare == 10.0 / 1_010)
    #expect(tree.roots.map(\.label) == ["a"])
    #expect(tree.roots[0].children[0].children.map(\.weight) == [600, 395])
    let deep = [Frame](repeating: Frame(name: "f", image: nil, offset: 0), count: 5_000)
    tree.add(deep, weight: 1)
    tree.prune(below: 0)
  }
}
