import ArgumentParser
import StallwatchCore
import StallwatchFleet
import StallwatchFormats
import StallwatchLibc
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// `stallwatch ship`: delivers what is new in stores to a server.
struct ShipVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ship",
    abstract: "Delivers what is new in stores to a fleet's server.",
    discussion: """
      Reads stores, one or many, and sends what is new since the last time: sessions, what lanes did hour by hour, stalls \
      that are over, causes, stacks with names, timers. With --follow it stays and sends what comes, also from stores \
      that appear later in a folder. ClickHouse gets all of it, in tables that 'fleet migrate' makes. An OpenTelemetry \
      collector gets a log record for each stall, and what lanes did as delta metrics: these count twice where 'ship' is \
      killed before it notes the collector's answer.

      What leaves: \(Allowance.always). Figures and counts of all of them. This does not leave unless --allow names it, or \
      never (–):

      \(Allowance.list)

      --dry-run prints every row that would leave.

      A state file keeps how far each session was sent, and batches until the server has taken them. You can end 'ship' \
      at any moment, also by a kill: nothing is lost, and in ClickHouse nothing counts twice. While the server is away, the state file \
      grows to --spool at most; then 'ship' waits, and reads the rest from the stores when there is room. Stores are \
      only read, and not held while the server is slow.

      Examples:

        stallwatch ship app.stallwatch --to https://stallwatch@db.example.org:8443/fleet --password-file secret
        stallwatch ship /var/lib/app --follow --to http://localhost:8123 --metrics-file ship.prom
        stallwatch ship /var/lib/app --follow --to otlp+http://localhost:4318
        stallwatch ship app.stallwatch --dry-run | less
      """)

  @Argument(help: "The stores: files, folders of *.stallwatch, or patterns in quotes.", completion: .file())
  var stores: [String]

  @OptionGroup(title: "The server") var destination: DestinationOptions

  @Flag(help: "Stay, and send what comes, until SIGINT or SIGTERM.")
  var follow = false

  @Flag(help: "End when all there is was sent; the default.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "How often to look for something new with --follow, 1s or more.", valueName: "duration"),
    transform: DurationArgument.parse)
  var interval = DurationArgument(ShippingConfiguration().interval)

  @Option(
    help: ArgumentHelp(
      "The file that keeps what was sent and what waits. Default: stallwatch-ship.state beside the first store.",
      valueName: "file"),
    completion: .file())
  var state: String?

  @Option(
    help: ArgumentHelp("The most that waits in the state file, 8MB or more.", valueName: "size"),
    transform: Self.size)
  var spool = SpoolSize(bytes: ShippingConfiguration().spoolLimit)

  @Option(
    help: ArgumentHelp(
      "Let leave what is kept back otherwise: arguments, hosts, annotations, targets, paths; several joined by commas.",
      valueName: "list"),
    transform: ShippedKinds.parse)
  var allow = ShippedKinds()

  @Option(
    help: ArgumentHelp(
      "Write what 'ship' did as metrics for Prometheus to this file, replaced every ten seconds.", valueName: "file"),
    completion: .file())
  var metricsFile: String?

  @Flag(help: "Print as lines of JSON what would leave, and send nothing.")
  var dryRun = false

  @OptionGroup var symbols: SymbolsOption

  /// A size on the command line.
  struct SpoolSize: Equatable, CustomStringConvertible {
    var bytes: Int
    var description: String { "\(bytes / 1_000_000)MB" }
  }

  /// A spool must hold what is put into it at a time.
  private static let leastSpool: Int64 = 8_000_000

  @Sendable
  private static func size(_ text: String) throws -> SpoolSize {
    guard let size = SizeNotation.parse(text), size >= leastSpool, size <= 1 << 50 else {
      throw ValidationError("it must be a size of 8MB or more, such as 64MB")
    }
    return SpoolSize(bytes: Int(size))
  }

  func validate() throws {
    if stores.isEmpty { throw ValidationError("Missing expected argument '<stores>'") }
    if follow, once { throw ValidationError("--follow and --once exclude each other.") }
    if follow, dryRun { throw ValidationError("--dry-run looks once; leave out --follow.") }
    if destination.to == nil, !dryRun { throw ValidationError("Missing expected argument '--to <url>'") }
    guard interval.nanoseconds >= .second else { throw ValidationError("--interval must be 1s or more.") }
  }

  func run() throws {
    let followed = FollowedStores(names: stores, mayBeEmpty: follow)
    let search = try symbols.search()
    if dryRun { return try rehearse(followed, search) }
    let destination = try destination.destination()
    let clock = SystemShippingClock()
    SQLiteLibrary.limitMemory(to: Self.mostSQLiteMemory)
    if !follow { _ = try followed.paths() }
    guard let ledger = try openLedger(followed, destination, clock) else { return }
    var configuration = ShippingConfiguration()
    configuration.interval = interval.nanoseconds
    configuration.spoolLimit = spool.bytes
    let progress = ReadingProgress()
    defer { progress.end() }
    let privacy = PrivacyPolicy(allowing: allow.allowances)
    var surroundings = Shipper.Surroundings(
      stores: followed.paths,
      open: {
        try StoreSource(path: $0, search: search, version: $1, privacy: privacy, standIn: ledger.instance)
      },
      say: {
        progress.end()
        StandardError.print("stallwatch: \($0)")
      })
    surroundings.show = { progress.update($0, verb: "shipping") }
    if let metricsFile {
      surroundings.publish = { page in try OutputDestination.write(to: metricsFile) { try $0(page) } }
    }
    let delivery = destination.delivery(of: ledger, clock)
    let shipper = Shipper(ledger, to: delivery, configuration, clock, surroundings)
    let summary: ShippingSummary
    do { summary = try shipper.run(following: follow) } catch let error as LedgerError { throw Self.failure(error) }
    progress.end()
    try OutputDestination.writeToStandardOutput { try $0(Self.line(summary) + "\n") }
    try judge(summary, ledger)
  }

  /// SQLite's for all databases together.
  private static let mostSQLiteMemory: Int64 = 24 << 20

  /// Opens the state file. With --follow, waits until its disk has room, so that nobody has to start `ship` again.
  /// Returns nil where somebody asked to stop meanwhile.
  private func openLedger(
    _ followed: FollowedStores, _ destination: Destination, _ clock: SystemShippingClock
  ) throws -> ShippingLedger? {
    let path = state ?? followed.usualState
    let holder = "process \(getpid()), 'stallwatch ship', since \(Timestamp.readable(clock.wall))"
    var said: LedgerError?
    while !clock.isStopped {
      do {
        return try ShippingLedger(path: path, destination: destination.name, holder: holder)
      } catch {
        guard follow, error.mayPass else { throw Self.failure(error) }
        if said != error { StandardError.print("stallwatch: \(error)") }
        said = error
        clock.wait(until: clock.now.saturatingAdd(ShippingConfiguration().firstPause))
      }
    }
    return nil
  }

  private static func failure(_ error: LedgerError) -> Failure {
    switch error {
    case .otherDestination, .unusable, .newer: Failure(.badInput, "\(error)")
    case .held, .noRoom, .failed: Failure(.unable, "\(error)")
    }
  }

  private static func line(_ summary: ShippingSummary) -> String {
    let stalls = summary.rows[StallRow.table] ?? 0
    var line =
      "\(count(summary.stores, "store")), \(count(summary.sessions, "session")), \(count(stalls, "stall")): "
      + "\(count(summary.batches, "batch", "batches")) delivered, \(summary.bytes) bytes"
    if summary.rejected > 0 { line += ", \(count(summary.rejected, "batch", "batches")) refused" }
    line += summary.left == 0 ? ", none left" : ", \(count(summary.left, "batch", "batches")) left"
    return line
  }

  private static func count(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  private func judge(_ summary: ShippingSummary, _ ledger: ShippingLedger) throws {
    if let obstacle = summary.obstacle, !follow {
      throw Failure(
        .unable,
        "\(obstacle); \(Self.count(summary.left, "batch", "batches")) wait in \(ledger.path), and the next 'ship' sends them"
      )
    }
    if summary.rejected > 0, !follow {
      throw Failure(
        .unable,
        "\(Self.count(summary.rejected, "batch was", "batches were")) refused and kept in \(ledger.path), see above")
    }
    if summary.unreadable > 0, !follow {
      throw Failure(.badInput, "\(Self.count(summary.unreadable, "store")) left out, see above")
    }
  }

  /// What a rehearsal shows in place of the random number of the machine, which a state file has.
  private static let noInstance = "0000000000000000"

  /// Prints every row that would leave.
  private func rehearse(_ followed: FollowedStores, _ search: SymbolSearch) throws {
    let privacy = PrivacyPolicy(allowing: allow.allowances)
    try OutputDestination.writeToStandardOutput { sink in
      for path in try followed.paths() {
        let source = try StoreSource(
          path: path, search: search, version: 0, privacy: privacy, standIn: Self.noInstance)
        for session in try source.sessions() {
          _ = try source.forEachPart(of: session, from: 0, isNew: { _, _ in true }) { part in
            if case .row(let row) = part { try sink(ShippedLine.text(of: row) + "\n") }
          }
        }
      }
    }
  }
}
