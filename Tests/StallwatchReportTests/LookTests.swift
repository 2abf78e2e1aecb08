import Testing
@testable import StallwatchReport
@Suite struct LookTests {
  @Test func look() throws {
    for c in [HandMadeContents.busy, .killed, .manyLoops, .hostile, HandMadeContents()] {
      print(TextRenderer().render(try c.report()))
      print("=======SUMMARY")
      print(SummaryRenderer().render(try c.report(), store: "my file.db"))
      print("=======")
    }
    print(MarkdownRenderer().render(try HandMadeContents.busy.report()))
    var s = ""
    try JSONRenderer().render(HandMadeContents.busy.report()) { s += $0 }
    print(s)
    try StallsTextRenderer().render(StallLister(HandMadeContents.busy)) { print($0, terminator: "") }
    try StallsJSONRenderer().render(StallLister(HandMadeContents.killed)) { print($0, terminator: "") }
  }
}
