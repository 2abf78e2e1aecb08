import ArgumentParser
import StallwatchReport
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `stallwatch check`: a gate for CI.
struct CheckVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Holds a recording to a budget, for CI.",
    discussion: """
      A budget is a file in TOML:

        [stalls]
        hang = 0              # none of 500 ms or more
        hang_rate = 1.0       # seconds of microhang or worse in an hour
        [loop.main.span]
        p99 = "8ms"
        [timer."poll"]
        dropped = 0
        [[allow]]             # counts toward no limit
        signature = "ImageStore.decode(_:) · fsync"
        owner = "images team"
        until = 2027-01-31
        [base]
        store = "main.stallwatch"   # nothing new or worse than there

      Each finding names key, limit, value and the stall to look at. What a budget names and the recording has not seen is \
      a finding. JSON has the schema stallwatch.check/1. Exit codes: 0 all limits hold; 1 one does not.

      Examples:

        stallwatch check session.stallwatch --budget budget.toml
        stallwatch check session.stallwatch --budget budget.toml --format junit -o stalls.xml
      """)

  @OptionGroup var input: StoreArgument

  @Option(help: ArgumentHelp("The budget, a file in TOML.", valueName: "file"), completion: .file())
  var budget: String

  @OptionGroup var symbols: SymbolsOption

  @Option(help: "The form of the answer.")
  var format: CheckFormat = .text

  @OptionGroup var output: OutputOption

  func run() throws {
    let file = try BudgetFile(path: budget)
    // As the store is, which OutputDestination sees to.
    if let path = output.path,
      let read = [budget, file.basePath].compactMap(\.self).first(where: { FileIdentity.isSame($0, path) })
    {
      throw Failure(.badInput, "\(path): is \(read), which is read; name another file for the answer")
    }
    let judge = BudgetJudge(file.budget, today: Self.today, search: try symbols.search())
    let report = try StoreReader.undisturbed {
      let base = try file.basePath.map { (name: $0, contents: try StoreReader(path: $0)) }
      return try judge.judge(StoreReader(path: input.store), store: input.store, base: base)
    }
    let style = output.path == nil ? Terminal.style(for: STDOUT_FILENO) : TerminalStyle()
    try OutputDestination.write(to: output.path, reading: input.store) { sink in
      switch format {
      case .text: try sink(BudgetTextRenderer(style: style).render(report))
      case .json: try BudgetJSONRenderer().render(report, into: sink)
      case .junit: try sink(BudgetJUnitRenderer().render(report))
      case .github: try sink(BudgetGitHubRenderer(file: budget).render(report))
      }
    }
    if !report.findings.isEmpty { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }

  /// The day in UTC, as `2027-01-31`.
  private static var today: String {
    var (now, parts) = (time(nil), tm())
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 16)
    strftime(&text, text.count, "%Y-%m-%d", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The forms in which `check` answers.
enum CheckFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.check/1`.
  case json
  /// JUnit's XML.
  case junit
  /// Workflow commands of GitHub Actions.
  case github
}
