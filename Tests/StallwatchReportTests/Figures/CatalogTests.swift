import StallwatchCore
import Testing

@testable import StallwatchFormats
@testable import StallwatchReport
@testable import StallwatchStore

@Suite("A figure")
struct CatalogTests {
  /// All figures, and one more: this is all that a new figure takes.
  private static let catalog: Catalog = {
    var catalog = Catalog.standard
    catalog.timer.append(
      .share("coalesced_share", "the share of callouts that stood for more than one due time") {
        Double($0.timer.ledger.coalesced) / Double($0.timer.ledger.fired)
      }.limited().shown("coalesced", leaving: nil).exported("timer_coalesced_share").compared()
        .pooled { .share(part: $0.ledger.coalesced, whole: $0.ledger.fired) })
    return catalog
  }()

  /// A recording with a timer of which this many of 1,000 callouts stood for more than one due time.
  private func contents(coalesced: UInt64, process: Int32 = 1) -> HandMadeContents {
    var contents = HandMadeContents()
    contents.addSession(duration: 100 * .second)
    contents.storedSessions[0].record.process.pid = process
    contents.addLoop(iterations: 1_000, samples: [.span: [Nanoseconds](repeating: .millisecond, count: 1_000)])
    var ledger = TimerDelta(timer: TimerID(rawValue: 1), atNs: 0)
    (ledger.fired, ledger.coalesced) = (1_000, coalesced)
    contents.storedTimers[1] = [
      StoredTimer(
        id: 1, session: 1, loop: 1,
        record: TimerRecord(
          id: TimerID(rawValue: 1), loop: nil, name: "poll", kind: .runLoop, origin: 0, interval: .second, tolerance: 0,
          modes: [], madeNs: 0),
        ledger: ledger, lateness: nil, drops: [], stalls: [])
    ]
    return contents
  }

  private func report(_ contents: HandMadeContents) throws -> Report {
    var configuration = ReportConfiguration()
    configuration.catalog = Self.catalog
    return try ReportBuilder(configuration: configuration).build(from: contents)
  }

  @Test("is in JSON once it is declared")
  func json() throws {
    let json = try JSONText { try JSONRenderer().render(try report(contents(coalesced: 250)), into: $0) }.object
    #expect(try json.list("timers")[0].keys.contains("coalesced_share"))
    #expect(try json.list("timers")[0]["coalesced_share"] as? Double == 0.25)
  }

  @Test("is a column of the text table, and of the page")
  func table() throws {
    let section = try #require(TimersSection.section(try report(contents(coalesced: 250)), limit: 10))
    let table = try #require(section.table)
    let place = try #require(table.columns.firstIndex { $0.title == "coalesced" })
    #expect(table.rows[0][place].text == "25 %")
    #expect(table.rows.allSatisfy { $0.count == table.columns.count })
  }

  @Test("may have a limit in a budget, which is judged")
  func budget() throws {
    let file = BudgetValue.table(["timer": .table(["poll": .table(["coalesced_share": .number(0.2)])])])
    #expect(throws: BudgetError.self) { try Budget(file) }
    let judge = BudgetJudge(try Budget(file, catalog: Self.catalog), today: "2026-06-01", catalog: Self.catalog)
    let held = try judge.judge(contents(coalesced: 200), store: "run.stallwatch").results
    let exceeded = try judge.judge(contents(coalesced: 250), store: "run.stallwatch").results
    #expect((held + exceeded).map(\.verdict) == [.held, .exceeded])
    #expect(exceeded.first?.value == 0.25)
  }

  @Test("is on the page of metrics")
  func metrics() throws {
    var page = ""
    try StoreExport(contents(coalesced: 250)).write(.openmetrics, catalog: Self.catalog) { page += $0 }
    #expect(page.contains("# TYPE stallwatch_timer_coalesced_share gauge\n"))
    #expect(
      page.contains(
        "# HELP stallwatch_timer_coalesced_share The share of callouts that stood for more than one due time.\n"))
    #expect(page.contains(/\nstallwatch_timer_coalesced_share\{.*timer="poll"\} 0\.25\n/))
  }

  @Test("is compared by diff, where more is worse")
  func comparison() throws {
    var configuration = ComparisonConfiguration()
    configuration.catalog = Self.catalog
    let comparer = Comparer(configuration: configuration)
    let few = (1...5).map { ("few", contents(coalesced: 50, process: $0)) }
    let many = (1...5).map { ("many", contents(coalesced: 900, process: $0)) }
    let worse = try comparer.compare(base: few, new: many)
    let better = try comparer.compare(base: many, new: few)
    #expect(
      (worse.findings + better.findings).map { "\($0.verdict) \($0.question)" } == [
        "worse coalesced_share", "better coalesced_share",
      ])
    #expect(ComparisonTextRenderer().render(worse).contains("coalesced_share"))
  }

  @Test("is in the documents' tables")
  func documents() {
    let json = DocumentTable.jsonRows(Self.catalog.timer)
    let line = "| `coalesced_share` | the share of callouts that stood for more than one due time |"
    #expect(json.contains(line))
    let limits = DocumentTable.budgetRows("[timer.NAME]", Self.catalog.timer)
    #expect(limits.contains("| " + line))
  }

  @Test("of whole numbers is exact in JSON beyond what a floating-point number holds")
  func exact() throws {
    var contents = contents(coalesced: (1 << 53) + 1)
    contents.storedTimers[1]?[0].ledger.fired = .max
    let text = try JSONText { try JSONRenderer().render(try report(contents), into: $0) }.text
    #expect(text.contains("\"coalesced\": 9007199254740993,"))
    #expect(text.contains("\"fired\": 18446744073709551615,"))
  }

  @Test("has a key of its own among those of its subject, in every view")
  func keys() {
    let catalog = Catalog.standard
    func isUnique(_ names: [String]) -> Bool { Set(names).count == names.count }
    func check<Subject, Stored>(_ measures: [Measure<Subject, Stored>]) {
      #expect(isUnique(measures.map(\.key)))
      #expect(isUnique(measures.compactMap { measure in measure.json.map { "\($0.group ?? "").\($0.key)" } }))
      #expect(isUnique(measures.limits().map(\.key)))
      #expect(measures.allSatisfy { $0.question == nil || $0.tally != nil })
      #expect(measures.allSatisfy { ($0.question == nil && $0.limit == nil) || $0.isWorseWhenMore })
    }
    check(catalog.loop)
    check(catalog.mode)
    check(catalog.stalls)
    check(catalog.timer)
    check(catalog.drift)
    check(catalog.health)
  }
}
