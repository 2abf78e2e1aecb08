import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

/// Threads that were away from their loops.
@Suite struct AwayReportTests {
  private func contents() -> HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(id: 1, samples: [.span: [.millisecond], .service: [.second], .waiting: [5 * .second]])
    contents.addLoop(id: 2, name: "worker", samples: [.span: [.millisecond], .service: [.second]])
    return contents
  }

  @Test func ofTheMainLoopTheVerdictNamesItPlainly() throws {
    var contents = contents()
    contents.addStall(id: 1, duration: 3 * .second, kind: .away, reason: "a timer was due")
    let verdict = try contents.report().verdict
    #expect(verdict.rank == .away)
    #expect(verdict.text == "The main thread was away from its loop once, for 3.00 s, while a timer was due.")
    contents.addStall(id: 2, duration: .second, kind: .away, state: .fatal)
    #expect(
      try contents.report().verdict.text
        == "The main thread was away from its loop 2 times for 4.00 s in all while something was due; the longest was "
        + "3.00 s, while a timer was due.")
  }

  @Test func whatIsWorseComesFirst() throws {
    var contents = contents()
    contents.addStall(id: 1, duration: .second)
    contents.addStall(id: 2, duration: 3 * .second, kind: .away, reason: "main-queue work was due")
    let verdict = try contents.report().verdict
    #expect(verdict.rank == .stalled)
    #expect(
      verdict.sentences.first?.hasPrefix("The main thread was away from its loop once, for 3.00 s, while") == true)
    #expect(verdict.sentences.dropFirst().first?.hasPrefix("The main loop was held once, for 1.00 s") == true)
  }

  @Test func ofAnotherLoopItIsListedAndNoMore() throws {
    var contents = contents()
    contents.addStall(id: 1, loop: 2, duration: 3 * .second, kind: .away, reason: "a timer was due")
    let report = try contents.report()
    #expect(report.verdict.rank == .healthy)
    #expect(report.loops.map(\.hangRate) == [0, 0])
    let table = try #require(StallsSection.section(report, limit: 10).table)
    #expect(table.rows.map { [$0[2].text, $0[3].text, $0[5].text] } == [["away", "worker", Figure.unknown]])
  }

  @Test func itCountsInTheMainLoopsHangRateAndInNoStall() throws {
    var contents = contents()
    contents.addStall(id: 1, duration: 2 * .second, kind: .away)
    contents.addStall(id: 2, duration: 100 * .millisecond, kind: .away)
    let report = try contents.report()
    let counts = report.stalls.counts
    #expect((counts.count, counts.awayCount, counts.awayTotal) == (0, 2, 2_100 * .millisecond))
    #expect(counts.listedCount == 2)
    // 2 s of microhang or worse in 1 s busy, 5 s waiting and 2.1 s away.
    let rate = try #require(report.loops[0].hangRate)
    #expect(abs(rate - 3_600 * 2 / 8.1) < 1)
  }
}
