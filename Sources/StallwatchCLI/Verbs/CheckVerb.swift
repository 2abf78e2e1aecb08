import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch check`: judges a recording by a budget, for CI.
struct CheckVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a recording against a budget, for CI.",
    discussion: """
      A budget is a file in TOML:

        [stalls]
        hang = 0              # no stall of 500 ms or more
        hang_rate = 1.0       # seconds of microhang or worse per hour
        [loop.main.span]
        p99 = "8ms"
        [timer."poll"]
        dropped = 0
        [[allow]]             # counts toward no limit
        signature = "ImageStore.decode(_:) · fsync"
        owner = "images team"
        until = 2027-01-31
        [base]
        store = "main.stallwatch"   # nothing new or worse than in this store

      Each finding names the key, the limit, the value and the stall to look at. Anything that the budget names but \
      the recording does not contain is also a finding. JSON has the schema stallwatch.check/1. Exit codes: 0 all \
      limits hold; 1 at least one does not.

      Examples:

        stallwatch check session.stallwatch --budget budget.toml
        stallwatch check session.stallwatch --budget budget.toml --format junit -o stalls.xml
        stallwatch check session.stallwatch --budget budget.toml --loop main --last 10m
      """)

  @OptionGroup var input: StoreArgument

  @Option(help: ArgumentHelp("The budget, a file in TOML.", valueName: "file"), completion: .file())
  var budget: String

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: CheckFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let file = try BudgetFile(path: budget)
    // Protect the budget and the base store as well; OutputDestination protects the store.
    if let path = output.path,
      let read = [budget, file.basePath].compactMap(\.self).first(where: { FileIdentity.isSame($0, path) })
    {
      throw Failure(.badInput, "\(path): is the same file as the input \(read); name another file to write to")
    }
    let reading = try StoreReading(filter, symbols)
    let judge = BudgetJudge(file.budget, today: Self.today, search: reading.search)
    let report = try ReadingProgress.reading { progress in
      let base = try file.basePath.map { (name: $0, contents: try progress.open($0, reading.ofBase)) }
      return try judge.judge(progress.open(input.store, reading), store: input.store, base: base)
    }
    reading.noteUnmatchedNames()
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(BudgetTextRenderer(style: output.style).render(report))
      case .json: try BudgetJSONRenderer().render(report, into: sink)
      case .junit: try sink(BudgetJUnitRenderer().render(report))
      case .github: try sink(BudgetGitHubRenderer(file: budget, checkouts: Self.checkouts).render(report))
      }
    }
    if !report.findings.isEmpty { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }

  /// The paths of the checkout: what GitHub says, or else the working directory, each also without links.
  private static var checkouts: [String] {
    let workspace = getenv("GITHUB_WORKSPACE").map { String(cString: $0) } ?? ""
    let path = workspace.isEmpty ? "." : workspace
    return [workspace, realPath(path)].compactMap(\.self).filter { $0.hasPrefix("/") }
  }

  /// The current day in UTC, as `2027-01-31`.
  private static var today: String {
    var (now, parts) = (time(nil), tm())
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 16)
    strftime(&text, text.count, "%Y-%m-%d", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The output formats of `check`.
enum CheckFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.check/1`.
  case json
  /// JUnit XML.
  case junit
  /// GitHub Actions workflow commands.
  case github
}
