import StallwatchCore
import StallwatchSymbols
import Testing

@testable import StallwatchReport

@Suite struct CauseSentencesTests {
  private func report(
    _ key: String, _ function: String, callers: [String] = [], line: Int? = nil
  ) -> SignatureReport {
    let place = Blame.Place(function: function, location: line.map { SourceLocation(path: "/src/App.swift", line: $0) })
    let blame = Blame(own: place, activity: .running)
    let signature = Signature(key: key, title: function, frames: callers + [function], call: nil)
    return SignatureReport(
      signature: signature, blame: blame, count: 1, total: 1, worst: 1, worstStall: 1, cause: nil)
  }

  @Test func aSentenceOfItsOwnIsNotChanged() {
    let causes = [report("1", "spend()", line: 3), report("2", "spend()", line: 9)]
    #expect(
      causes.map(CauseSentences(causes).sentence) == [
        "spend() at App.swift:3 computes", "spend() at App.swift:9 computes",
      ])
  }

  @Test func alikeCausesHaveTheNearestCallerThatTellsThemApart() {
    let causes = [
      report("1", "spend()", callers: ["run()", "draw()", "wait()"]),
      report("2", "spend()", callers: ["run()", "load()", "wait()"]), report("3", "spend()", callers: ["wait()"]),
    ]
    #expect(
      causes.map(CauseSentences(causes).sentence) == [
        "spend() computes, called by draw()", "spend() computes, called by load()", "spend() computes",
      ])
  }

  @Test func noTwoCausesAreCalledTheSame() {
    let causes = [report("1", "app + 0x10"), report("2", "app + 0x10"), report("3", "app + 0x10")]
    #expect(Set(causes.map(CauseSentences(causes).sentence)).count == 3)
  }
}
