import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch diff`: the changes between two recordings.
struct DiffVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Reports what changed between two recordings, and how certain that is.",
    discussion: """
      Shows which causes of stalls are new, gone, worse or better, and which percentiles of modes and timers moved. \
      Rates are per hour of watched time, so recordings may differ in length. 'diff' does not report a change that may \
      be chance, and says where there is too little data to judge. More recordings of each side give a surer answer.

      JSON has the schema stallwatch.diff/1. Exit codes: 0 nothing is worse; 1 something is new or worse.

      Examples:

        stallwatch diff main.stallwatch branch.stallwatch
        stallwatch diff main1.stallwatch branch1.stallwatch --base main2.stallwatch --new branch2.stallwatch
        stallwatch diff main.stallwatch branch.stallwatch --format markdown -o comment.md
        stallwatch diff main.stallwatch branch.stallwatch --loop main
      """)

  @Argument(help: "The recording to compare with.", completion: .file())
  var base: String

  @Argument(help: "The recording to judge.", completion: .file())
  var new: String

  @Option(
    name: .customLong("base"),
    help: ArgumentHelp("Another recording to compare with. May be given several times.", valueName: "store"),
    completion: .file())
  var moreBases: [String] = []

  @Option(
    name: .customLong("new"),
    help: ArgumentHelp("Another recording to judge. May be given several times.", valueName: "store"),
    completion: .file())
  var moreNews: [String] = []

  @Option(
    help: ArgumentHelp(
      "The confidence that no reported change is chance, between 0 and 1.", valueName: "share"))
  var confidence = ComparisonConfiguration().confidence

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: DiffFormat = .text

  @OptionGroup var output: OutputOption

  func validate() throws {
    guard confidence > 0, confidence < 1 else { throw ValidationError("--confidence must lie between 0 and 1.") }
  }

  func run() throws {
    var configuration = ComparisonConfiguration()
    configuration.confidence = confidence
    if let path = output.path,
      let same = ([base, new] + moreBases + moreNews).first(where: { FileIdentity.isSame($0, path) })
    {
      throw Failure(.badInput, "\(same): is one of the compared stores; name another file to write the comparison to")
    }
    let reading = try StoreReading(filter, symbols)
    let comparer = Comparer(configuration: configuration, search: reading.search)
    let (comparison, selection) = try ReadingProgress.reading { progress in
      let sides = try [[base] + moreBases, [new] + moreNews].map { paths in
        try paths.map { (name: $0, contents: try progress.open($0, reading)) }
      }
      return (try comparer.compare(base: sides[0], new: sides[1]), sides[1].first?.contents.selection)
    }
    reading.noteUnmatchedNames()
    if let selection { StandardError.print("stallwatch: \(selection.text)") }
    try OutputDestination.write(to: output.path, reading: new) { sink in
      switch format {
      case .text: try sink(ComparisonTextRenderer(style: output.style).render(comparison))
      case .json: try ComparisonJSONRenderer().render(comparison, into: sink)
      case .markdown: try sink(ComparisonMarkdownRenderer().render(comparison))
      }
    }
    if comparison.isRegression { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }
}

/// The output formats of `diff`.
enum DiffFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.diff/1`.
  case json
  /// For a pull-request comment.
  case markdown
}
