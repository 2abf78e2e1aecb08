import StallwatchCore
import StallwatchStore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport

@Suite struct TextReportTests {
  static let examples: [(String, HandMadeContents)] = [
    ("empty", HandMadeContents()), ("busy", .busy), ("killed", .killed), ("many loops", .manyLoops),
    ("hostile", .hostile),
    ("many sessions", .manySessions),
  ]

  @Test(arguments: examples)
  func noLineIsWiderThanAHundredColumns(name: String, contents: HandMadeContents) throws {
    for line in TextRenderer().render(try contents.report()).split(separator: "\n") {
      #expect(DisplayText.width(of: String(line)) <= 100, "\(line)")
    }
  }

  @Test(arguments: examples)
  func nothingThatATerminalActsOnIsWrittenWithoutColour(name: String, contents: HandMadeContents) throws {
    let report = try contents.report()
    let store = "\u{1B}[2J"
    for text in [
      TextRenderer().render(report), SummaryRenderer().render(report, store: store),
      MarkdownRenderer().render(report),
    ] {
      #expect(DisplayText.harmless(text.replacing("\n", with: " ")) == text.replacing("\n", with: " "))
    }
  }

  /// A queue has one mode and no phases.
  @Test func stallsOfQueuesHaveNoColumnsOfRunLoops() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(id: 1, name: "images", mode: "items", samples: [.waiting: [.second]], kind: .queue)
    contents.addStall(id: 1, loop: 1, duration: .second)
    let own = ["mode", "phase", "depth"]
    let table = try #require(StallsSection.section(contents.report(), limit: 10).table)
    #expect(table.columns.map(\.title) == StallsSection.columns.map(\.title).filter { !own.contains($0) })
    #expect(table.rows.allSatisfy { $0.count == table.columns.count })
    #expect(!SummaryRenderer().render(try contents.report(), store: "x").contains("phase"))

    contents.addLoop(id: 2, samples: [.span: [2 * .second]])
    contents.addStall(id: 2, loop: 2, duration: 2 * .second)
    let mixed = try #require(StallsSection.section(contents.report(), limit: 10).table)
    #expect(mixed.columns.map(\.title) == StallsSection.columns.map(\.title))
    #expect(mixed.rows.map { $0[4..<7].map(\.text.isEmpty) } == [[false, false, false], [true, true, true]])
  }

  @Test(arguments: examples)
  func theTextOpensWithTheVerdict(name: String, contents: HandMadeContents) throws {
    let report = try contents.report()
    let opening = try #require(TextRenderer().render(report).split(separator: "\n\n").first)
    #expect(
      opening.replacing("\n", with: " ") == DisplayText.wrap(DisplayText.harmless(report.verdict.text), to: .max)[0])
  }

  @Test(arguments: examples)
  func theSummaryFitsOneScreen(name: String, contents: HandMadeContents) throws {
    let lines = SummaryRenderer().render(try contents.report(), store: "my file.db")
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 24)
    #expect(lines.allSatisfy { DisplayText.width(of: String($0)) <= 100 })
    #expect(lines.last == "Look closer: stallwatch report 'my file.db'")
  }

  @Test func theSummaryShowsTheWorstFiveStalls() throws {
    let text = SummaryRenderer().render(try HandMadeContents.busy.report(), store: "s")
    let ids = text.split(separator: "\n").compactMap { line in
      line.contains("ended") ? line.split(separator: " ")[0] : nil
    }
    #expect(ids == ["6", "5", "4", "7", "3"])
  }

  @Test func columnsStandUnderEachOther() throws {
    let lines = TextRenderer().render(try HandMadeContents.hostile.report()).split(separator: "\n").map(String.init)
    let header = try #require(lines.first { $0.contains("began at") })
    let title = try #require(header.range(of: "began at"))
    let end = DisplayText.width(of: String(header[..<title.upperBound]))
    let rows = lines.filter { $0.hasSuffix("  ended") && !$0.hasPrefix("#") }
    #expect(rows.count == HandMadeContents.hostileNames.count)
    for row in rows {
      let offset = try #require(row.range(of: "+1.000 s"))
      #expect(DisplayText.width(of: String(row[..<offset.upperBound])) == end)
    }
  }

  @Test func manyLoopsAreFoldedToTheWorstTen() throws {
    let text = TextRenderer().render(try HandMadeContents.manyLoops.report())
    #expect(text.contains("and 190 more loops"))
    let rows = text.split(separator: "\n").map(String.init)
    let first = try #require(rows.firstIndex { $0.hasPrefix("loop / mode") })
    #expect(rows[first + 1].hasPrefix("worker 150"))
    #expect(rows[first + 3].hasPrefix("worker 200"))
    #expect(!text.contains("worker 191"))
  }

  @Test func ofManySessionsThoseThatWereHeldLongestAndTheLongestAreListed() throws {
    let text = TextRenderer().render(try HandMadeContents.manySessions.report())
    #expect(text.contains("and 20 more sessions of up to 10.0 s."))
    #expect(text.contains("killed by SIGKILL"))
    // A program of two minutes, and its children of 5 ms.
    var contents = HandMadeContents()
    for id in 1...30 as ClosedRange<Int64> {
      let isChild = id != 20
      contents.addSession(
        id: id, duration: isChild ? 5 * .millisecond : 120 * .second, ended: isChild && id % 2 == 0 ? .killed : .clean)
      contents.addLoop(id: id, session: id, iterations: 3, samples: [.span: [.millisecond]])
    }
    contents.addStall(id: 1, loop: 7, session: 7, duration: 60 * .millisecond)
    let section = SessionsSection.section(try contents.report(), limit: 2)
    #expect(section.table?.rows.map { $0[0].text } == ["7", "20"])
    #expect(section.notes == ["and 28 more sessions of up to 5.00 ms, of which 14 were killed."])
  }

  @Test func signalsHaveTheNamesOfTheSystemThatSentThem() {
    #expect(SignalName.of(exitStatus: 143, on: "linux x86_64") == "SIGTERM")
    #expect(SignalName.of(exitStatus: 135, on: "linux aarch64") == "SIGBUS")
    #expect(SignalName.of(exitStatus: 138, on: "macos arm64") == "SIGBUS")
    #expect(SignalName.of(exitStatus: 170, on: "linux x86_64") == "signal 42")
    #expect(SignalName.of(exitStatus: 128, on: "linux x86_64") == nil)
    #expect(SignalName.of(exitStatus: 1, on: "linux x86_64") == nil)
  }

  @Test func aQueueThatServedNothingMeanwhileComesAfterThoseWhereItemsWaitedForOthers() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(
      id: 1, name: "suspended", mode: "items", iterations: 1, samples: [.waiting: [.second], .span: [1_000]],
      kind: .queue)
    contents.addLoop(
      id: 2, name: "images", mode: "items", iterations: 1, samples: [.waiting: [.millisecond], .span: [1_000]],
      kind: .queue)
    contents.addLoop(
      id: 3, name: "held", mode: "items", iterations: 1, samples: [.waiting: [.second], .span: [1_000]], kind: .queue)
    contents.addStall(id: 1, loop: 3, mode: "items", duration: .second)
    let section = try #require(QueuesSection.section(try contents.report(), limit: 9))
    #expect((section.table?.rows ?? []).map { $0[0].text } == ["held", "images", "suspended"])
    #expect(
      section.notes[0].contains("Without a stall, a wait of the threshold or longer is one in which nothing was served")
    )
  }

  @Test func aLoopIsNamedWithItsSessionWhereThereAreSeveral() throws {
    let text = TextRenderer().render(try HandMadeContents.manySessions.report())
    #expect(text.contains("#25 main"))
    #expect(!TextRenderer().render(try HandMadeContents.busy.report()).contains("#1 main"))
  }

  @Test func whatIsNotKnownIsSaid() throws {
    let text = TextRenderer().render(try HandMadeContents.killed.report())
    #expect(text.contains("CPU time of the monitor's threads: unknown."))
    #expect(text.contains("Wake-ups of the watchdog: unknown."))
    #expect(text.contains("0 ns     0 %  unknown") || text.contains("0 ns    0 %  unknown"))
  }

  @Test func sectionsComeInTheOrderInWhichTheyAreRead() throws {
    let text = TextRenderer().render(try HandMadeContents.busy.report())
    let titles = text.split(separator: "\n").filter { line in
      line == line.uppercased() && line.contains { $0.isLetter } && !line.contains { $0.isNumber }
    }
    #expect(
      titles == [
        "CAUSES, MOST TIME FIRST", "SESSIONS", "RESPONSIVENESS", "PHASES", "STALLS, WORST FIRST",
        "EXCLUDED AND UNOBSERVED TIME",
        "THE MONITOR ITSELF",
      ])
  }

  @Test func figuresOfAStallAreInItsRow() throws {
    let text = TextRenderer().render(try HandMadeContents.busy.report())
    let row = try #require(
      text.split(separator: "\n").first { $0.contains("812 ms") && $0.contains("hang") && $0.contains("+38") })
    #expect(
      row.split(separator: " ").map(String.init) == [
        "5", "812", "ms", "hang", "main", "kCFRunLoopDefaultMode", "service", "1", "+38.000", "s", "ended",
      ])
  }

  @Test func theGapIsShownWithItsSplit() throws {
    let text = TextRenderer().render(try HandMadeContents.busy.report())
    #expect(text.contains("0.6 % sources, 99.4 % waiting"))
  }

  @Test func colourAddsNothingButColour() throws {
    var style = TerminalStyle()
    style.isColoured = true
    let report = try HandMadeContents.busy.report()
    let coloured = TextRenderer(style: style).render(report)
    #expect(coloured.contains("\u{1B}["))
    let plain = coloured.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
    #expect(plain == TextRenderer().render(report))
  }

  /// What every verb prints, at this width.
  private func texts(of contents: HandMadeContents, width: Int) throws -> [String] {
    var style = TerminalStyle()
    style.width = width
    let report = try contents.report()
    var list = ""
    try StallsTextRenderer(style: style).render(StallLister(contents)) { list += $0 }
    return [
      TextRenderer(style: style).render(report), list, SummaryRenderer(style: style).render(report, store: "x"),
      TimersTextRenderer(style: style).render(try ReportBuilder().timers(from: contents)),
    ]
  }

  @Test(arguments: [60, 72, 86, 100, 160])
  func textIsNoWiderThanTheTerminal(width: Int) throws {
    for contents in [HandMadeContents.busy, .manySessions, .killed] {
      for text in try texts(of: contents, width: width) {
        for line in text.split(separator: "\n") { #expect(DisplayText.width(of: String(line)) <= width, "\(line)") }
      }
    }
  }

  @Test func anEllipsisStandsWhereColumnsAreLeftOut() throws {
    for (width, isWhole) in [(60, false), (100, true)] {
      let headers = try texts(of: .busy, width: width).joined().split(separator: "\n")
        .filter { $0.hasPrefix("loop") && $0.contains("hang s/h") || $0.contains("severity  ") }
      #expect(headers.count == 5)
      for header in headers {
        #expect(header.hasSuffix("…") == !isWhole, "\(header)")
        #expect((header.contains("depth") || header.contains("span p50")) == isWhole, "\(header)")
      }
    }
  }

  @Test func aFigureKeepsItsNameWhereItsFirstColumnIsLeftOut() throws {
    var contents = HandMadeContents()
    contents.addSession()
    contents.addLoop(
      name: "images", mode: "items", iterations: 3, samples: [.waiting: [.second], .span: [.second]], kind: .queue)
    let titles = ["wait p50", "p99", "max", "service p50", "p99", "max"]
    for (width, shown) in [
      (160, titles), (70, ["wait p99", "max", "service max"]), (60, ["wait max", "service max"]),
    ] {
      let header = try #require(
        texts(of: contents, width: width)[0].split(separator: "\n").first { $0.hasPrefix("queue ") })
      #expect(header.hasSuffix(width == 160 ? "stalls" : "…"))
      #expect(
        shown.joined(separator: " ")
          == header.matches(of: /(?:wait |service )?(?:p50|p99|max)/).map { String($0.output) }.joined(separator: " "),
        "\(header)")
    }
  }

  @Test func aWideTerminalShowsModesInFull() throws {
    for text in try texts(of: .busy, width: 160).dropLast() { #expect(text.contains("kCFRunLoopDefaultMode")) }
  }

  @Test func theListOfStallsFitsAHundredColumnsAndNamesEveryKind() throws {
    for contents in [HandMadeContents.busy, .hostile, .manySessions] {
      var text = ""
      try StallsTextRenderer().render(StallLister(contents)) { text += $0 }
      for line in text.split(separator: "\n") { #expect(DisplayText.width(of: String(line)) <= 100) }
    }
    var text = ""
    try StallsTextRenderer().render(StallLister(HandMadeContents.busy)) { text += $0 }
    let lines = text.split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines[5].contains("congestion"))
    #expect(lines[6].hasSuffix("cancelled"))
    #expect(lines[9] == "6 stalls, 3.72 s in all; congestion once, 140 ms in all; 1 suspected stall proved false.")
  }
}
