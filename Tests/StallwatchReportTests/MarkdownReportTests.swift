import Testing

@testable import StallwatchFormats

@Suite struct MarkdownReportTests {
  @Test func itHasTheVerdictAndATablePerSection() throws {
    let lines = MarkdownRenderer().render(try HandMadeContents.busy.report()).split(separator: "\n").map(String.init)
    #expect(lines[0] == "# Stallwatch report")
    #expect(lines[1].hasPrefix("The main loop was held 6 times"))
    #expect(lines.count { $0.hasPrefix("## ") } == 7)
    #expect(lines.contains("| id | duration | severity | loop | mode | phase | depth | began at | state |"))
    #expect(lines.contains("| 5 | 812 ms | hang | main | kCFRunLoopDefaultMode | service | 1 | +38.000 s | ended |"))
  }

  @Test func everyRowHasAsManyCellsAsItsHeader() throws {
    let text = MarkdownRenderer().render(try HandMadeContents.hostile.report())
    var columns: Int?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        columns = nil
        continue
      }
      let bars = line.replacing("\\|", with: "").count { $0 == "|" }
      #expect(bars == columns ?? bars)
      columns = bars
    }
  }

  @Test func namesAreNoMarkup() {
    #expect(
      MarkdownRenderer.escaped("<b>a|b</b> `c` *d* [e](f) @g & \\ https://x www.y")
        == #"&lt;b&gt;a\|b&lt;/b&gt; \`c\` \*d\* \[e\](f) &#64;g &amp; \\ https:&#47;&#47;x www&#46;y"#)
  }
}
