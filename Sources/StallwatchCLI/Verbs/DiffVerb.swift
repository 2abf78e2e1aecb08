import ArgumentParser
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch diff`: the changes between two recordings.
struct DiffVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Reports what changed between recordings, and whether that is more than chance.",
    discussion: """
      Shows which causes of stalls are new, gone, worse or better, and which percentiles of modes and timers moved. \
      Rates are per hour of watched time, so recordings may differ in length.

      The unit is the session. From five sessions a side on, 'diff' tests by session, and counts as a change only what is \
      one beside everything else: a slower machine is none. With fewer it says by how much these recordings differ, and \
      tests only causes that one side alone has. Those are always listed.

      BASE and NEW are stores, folders of stores, or patterns in quotation marks. JSON has the schema \
      stallwatch.diff/2. Exit codes: 0 nothing is worse; 1 something is new or worse.

      Examples:

        stallwatch diff main.stallwatch branch.stallwatch
        stallwatch diff 'main-*.stallwatch' 'branch-*.stallwatch'
        stallwatch diff main1.stallwatch branch1.stallwatch --base main2.stallwatch --new branch2.stallwatch
        stallwatch diff main/ branch/ --format html -o comparison.html
        stallwatch diff main/ branch/ --format markdown -o comment.md
        stallwatch diff main.stallwatch branch.stallwatch --loop main
      """)

  @Argument(help: "The recordings to compare with: a store, a folder or a pattern.", completion: .file())
  var base: String

  @Argument(help: "The recordings to judge.", completion: .file())
  var new: String

  @Option(
    name: .customLong("base"),
    help: ArgumentHelp("More recordings to compare with. May be given several times.", valueName: "store"),
    completion: .file())
  var moreBases: [String] = []

  @Option(
    name: .customLong("new"),
    help: ArgumentHelp("More recordings to judge. May be given several times.", valueName: "store"),
    completion: .file())
  var moreNews: [String] = []

  @Option(
    help: ArgumentHelp(
      "The confidence that chance makes nothing new or worse, at most "
        + "\(ComparisonConfiguration.confidences.upperBound).", valueName: "share"))
  var confidence = ComparisonConfiguration().confidence

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(help: "The output format.")
  var format: DiffFormat = .text

  @OptionGroup var output: OutputOption

  func validate() throws {
    let range = ComparisonConfiguration.confidences
    guard range.contains(confidence) else {
      throw ValidationError(
        "--confidence must be above 0 and at most \(range.upperBound): beyond that, no number of sessions shows a "
          + "change.")
    }
  }

  func run() throws {
    var configuration = ComparisonConfiguration()
    configuration.confidence = confidence
    let bases = try ([base] + moreBases).flatMap(StoreNames.paths)
    let news = try ([new] + moreNews).flatMap(StoreNames.paths)
    if let path = output.path, let same = (bases + news).first(where: { FileIdentity.isSame($0, path) }) {
      throw Failure(.badInput, "\(same): is one of the compared stores; name another file to write the comparison to")
    }
    let reading = try StoreReading(filter, symbols)
    let comparer = Comparer(configuration: configuration, search: reading.search)
    let (comparison, trees, selection) = try ReadingProgress.reading { progress in
      let sides = try [bases, news].map { paths in
        try paths.map { (name: $0, contents: try progress.open($0, reading)) }
      }
      let comparison = try comparer.compare(base: sides[0], new: sides[1])
      let selection = sides[1].first?.contents.selection
      guard format == .html else { return (comparison, [CauseDifference](), selection) }
      let builder = DifferenceBuilder(search: reading.search)
      return (comparison, try builder.trees(comparison, base: sides[0], new: sides[1]), selection)
    }
    reading.noteUnmatchedNames()
    if let selection { StandardError.print("stallwatch: \(selection.text)") }
    try OutputDestination.write(to: output.path, reading: news[0]) { sink in
      switch format {
      case .text: try sink(ComparisonTextRenderer(style: output.style).render(comparison))
      case .json: try ComparisonJSONRenderer().render(comparison, into: sink)
      case .markdown: try sink(ComparisonMarkdownRenderer().render(comparison))
      case .html: try ComparisonHTMLRenderer().render(comparison, trees, into: sink)
      }
    }
    if comparison.isRegression { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }
}

/// The output formats of `diff`.
enum DiffFormat: String, CaseIterable, ExpressibleByArgument {
  /// For a person at a terminal.
  case text
  /// `stallwatch.diff/2`.
  case json
  /// For a pull-request comment.
  case markdown
  /// One page with flame graphs of the difference.
  case html
}
