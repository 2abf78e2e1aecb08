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

/// `stallwatch serve`: the page on a recording in progress.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Shows a recording as a page that follows it while it grows.",
    discussion: """
      Prints the page's address and serves it until Ctrl-C, on this machine alone and only to whoever knows the address, \
      which has a secret in it. A stall shows while it is still going on.

      Examples:

        stallwatch serve session.stallwatch
        stallwatch serve session.stallwatch --port 8080
      """)

  @OptionGroup var input: StoreArgument

  @Option(help: ArgumentHelp("The port to listen on. Default: one that is free.", valueName: "number"))
  var port: UInt16 = 0

  @OptionGroup var symbols: SymbolsOption

  @Option(help: ArgumentHelp("A span that takes longer than this janks.", valueName: "duration"))
  var frameBudget = DurationArgument(ReportConfiguration().frameBudget)

  func validate() throws {
    guard frameBudget.nanoseconds > 0 else { throw ValidationError("--frame-budget must be longer than 0.") }
  }

  func run() throws {
    var configuration = PageConfiguration()
    configuration.report.frameBudget = frameBudget.nanoseconds
    // What cannot be read at all is said here, not in a browser.
    _ = try StoreReader(path: input.store)
    let page = LivePage(path: input.store, configuration: configuration, search: try symbols.search())
    let feed = ChangeFeed(path: input.store, page: page)
    // Blocked before there are other threads, so that none of them takes what this one waits for.
    var ending = sigset_t()
    sigemptyset(&ending)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, signal) }
    pthread_sigmask(SIG_BLOCK, &ending, nil)
    signal(SIGPIPE, SIG_IGN)
    Task { [port] in
      do {
        try await PageServer.run(page, feed: feed, port: port) { address in
          try OutputDestination.writeToStandardOutput { try $0(address + "\n") }
          if isatty(STDOUT_FILENO) == 1 { StandardError.print("Open it in a browser; Ctrl-C ends it.") }
        }
      } catch {
        Failure.exit(for: error)
      }
    }
    var signal: Int32 = 0
    while sigwait(&ending, &signal) != 0 {}
  }
}
