import Testing

@testable import StallwatchReport

@Suite struct CauseTitlesTests {
  private func signature(_ key: String, _ title: String, _ frames: [String]) -> Signature {
    Signature(key: key, title: title, frames: frames, call: nil)
  }

  @Test func aTitleOfItsOwnIsNotChanged() {
    let one = signature("1", "spend()", ["main()", "spend()"])
    let other = signature("2", "load() · read", ["main()", "load()"])
    let titles = CauseTitles([one, other])
    #expect(titles.title(one) == "spend()")
    #expect(titles.title(other) == "load() · read")
  }

  @Test func causesOfOneTitleHaveTheNearestCallerThatTellsThemApart() {
    let causes = [
      signature("1", "spend()", ["run()", "draw()", "wait()", "spend()"]),
      signature("2", "spend()", ["run()", "load()", "wait()", "spend()"]),
      signature("3", "spend()", ["load()", "wait()", "spend()"]),
      signature("4", "spend()", ["wait()", "spend()"]),
    ]
    let titles = CauseTitles(causes)
    #expect(
      causes.map(titles.title) == ["spend(), from draw()", "spend(), from load()", "spend(), from load()", "spend()"])
  }

  @Test func functionsWithoutCallersKeepTheirTitle() {
    let causes = [signature("1", "app + 0x10", ["app + 0x10"]), signature("2", "app + 0x10", ["app + 0x10"])]
    #expect(causes.map(CauseTitles(causes).title) == ["app + 0x10", "app + 0x10"])
  }
}
