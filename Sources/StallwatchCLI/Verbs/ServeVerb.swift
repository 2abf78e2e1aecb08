import ArgumentParser
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// `stallwatch serve`: shows a recording in progress as a page.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves a recording as a web page that updates while the recording grows.",
    discussion: """
      Prints the page's address and serves the page until Ctrl-C. Only this machine can open the page, and only with \
      the full address, which contains a secret. The page shows a stall while it is still going on. With \
      --metrics, Prometheus finds metrics at /metrics, without the secret.

      Examples:

        stallwatch serve session.stallwatch
        stallwatch serve session.stallwatch --port 8080
        stallwatch serve session.stallwatch --metrics --port 9464
        stallwatch serve session.stallwatch --loop main --min-duration 250ms
      """)

  @OptionGroup var input: StoreArgument

  @OptionGroup var waiting: StoreWait

  @Option(help: ArgumentHelp("The port to listen on. Default: any free port.", valueName: "number"))
  var port: UInt16 = 0

  @Flag(help: "Also offer metrics at /metrics, to every program on this machine.")
  var metrics = false

  @OptionGroup var symbols: SymbolsOption

  @OptionGroup(title: "What to read") var filter: FilterOptions

  @Option(
    help: ArgumentHelp("Time by which a span exceeds this is jank.", valueName: "duration"),
    transform: DurationArgument.parse)
  var frameBudget = DurationArgument(ReportConfiguration().frameBudget)

  func validate() throws {
    guard frameBudget.nanoseconds > 0 else { throw ValidationError("--frame-budget must be longer than 0.") }
  }

  func run() throws {
    var configuration = PageConfiguration()
    configuration.report.frameBudget = frameBudget.nanoseconds
    // Report an unreadable store here, not in the browser.
    let reading = try StoreReading(filter, symbols)
    _ = try waiting.firstReading(of: input.store) {
      try reading.reader(of: StoreReader(path: input.store), path: input.store)
    }
    let page = LivePage(path: input.store, configuration: configuration, reading: reading)
    // With a search for symbols of its own: the two work at the same time.
    let scraped = metrics ? LiveMetrics(path: input.store, reading: try StoreReading(filter, symbols)) : nil
    let feed = ChangeFeed(path: input.store, page: page)
    // Block before other threads start, so that none of them takes the signals that this thread waits for.
    var ending = sigset_t()
    sigemptyset(&ending)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, signal) }
    pthread_sigmask(SIG_BLOCK, &ending, nil)
    signal(SIGPIPE, SIG_IGN)
    Task { [port] in
      do {
        try await PageServer.run(page, feed: feed, metrics: scraped, port: port) { address in
          try OutputDestination.writeToStandardOutput { try $0(address + "\n") }
          if isatty(STDOUT_FILENO) == 1 { StandardError.print("Open this address in a browser. Press Ctrl-C to stop.") }
        }
      } catch {
        Failure.exit(for: error)
      }
    }
    var signal: Int32 = 0
    while sigwait(&ending, &signal) != 0 {}
  }
}
