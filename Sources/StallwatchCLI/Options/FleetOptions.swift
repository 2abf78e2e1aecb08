import ArgumentParser
import StallwatchCore
import StallwatchFleet
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Which fleet a verb asks about, and what of it.
struct FleetOptions: ParsableArguments {
  @Option(
    name: .customLong("from"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Where the fleet is: stores, folders of stores, patterns in quotation marks, or the URL of a ClickHouse such as "
        + "https://user@host:8443/database.", valueName: "url|folder|store"))
  var from: [String] = []

  @Option(help: ArgumentHelp("The service to ask about; needed where there are several.", valueName: "name"))
  var service: String?

  @Option(
    name: .customLong("release"),
    help: ArgumentHelp("Only this release. May be given several times, as the next two.", valueName: "name"))
  var releases: [String] = []

  @Option(name: .customLong("environment"), help: ArgumentHelp("Only this environment.", valueName: "name"))
  var environments: [String] = []

  @Option(name: .customLong("lane"), help: ArgumentHelp("Only loops and other lanes of this name.", valueName: "name"))
  var lanes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only the hours from this one on: a date such as 2026-05-01T14:00:00Z, or a time of day in UTC such as 14:00 on "
        + "the last day.", valueName: "moment"),
    transform: { try Self.moment($0) })
  var since: Moment?

  @Option(
    help: ArgumentHelp("Only the hours before this one; written like --since.", valueName: "moment"),
    transform: { try Self.moment($0) })
  var until: Moment?

  @Option(
    help: ArgumentHelp(
      "Only so many hours, up to --until or the last of which something is known: 24h, 7d.", valueName: "duration"),
    transform: DurationArgument.parse)
  var last: DurationArgument?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !from.isEmpty else {
      throw ValidationError("--from is missing: name a folder of stores, or the URL of a ClickHouse.")
    }
    if last != nil, since != nil { throw ValidationError("--last and --since exclude each other; give one of them.") }
    if let last, last.nanoseconds == 0 { throw ValidationError("--last must be longer than 0.") }
    if from.count > 1, from.contains(where: Self.isURL) {
      throw ValidationError("--from takes one URL, or stores; not both.")
    }
  }

  /// The stores that are named; empty for a URL.
  func paths() throws -> [String] { try Self.isURL(from[0]) ? [] : from.flatMap(StoreNames.paths) }

  /// Lets `body` ask the source. Throws ``Failure`` for names that the fleet does not know, and what `body` throws.
  func ask<Answer>(
    _ search: SymbolSearch, _ body: (any FleetSource, FleetFilter) throws -> Answer
  ) throws -> Answer {
    let paths = try paths()
    if paths.isEmpty {
      let source = ClickHouseFleet(ClickHouseClient(try server.server(at: from[0])))
      return try body(source, try filter(of: source))
    }
    return try ReadingProgress.reading { progress in
      let name = from.count == 1 ? from[0] : "\(Figure.count(paths.count)) stores"
      let source = try StoreFleet(paths, name: name, search: search) { try progress.open($0) }
      return try body(source, try filter(of: source))
    }
  }

  /// What is asked about, in a source that knows all of it.
  private func filter(of source: some FleetSource) throws -> FleetFilter {
    let names = try source.known()
    var filter = FleetFilter()
    let services = names.services.keys.sorted()
    guard let first = services.first else { throw Failure(.badInput, "\(source.name): there is no session") }
    if let service { try Self.require([service], in: services, what: "service") }
    if service == nil, services.count > 1 {
      throw Failure(
        .badInput,
        "\(source.name): there are several services; choose one with --service: "
          + Figure.list(services.prefix(8).map { DisplayText.name($0, to: 60) }))
    }
    let known = names.services[service ?? first] ?? FleetNames.Service()
    filter.service = service ?? first
    (filter.releases, filter.environments, filter.lanes) = (releases, environments, lanes)
    try Self.require(releases, in: known.releases.sorted(), what: "release")
    try Self.require(environments, in: known.environments.sorted(), what: "environment")
    try Self.require(lanes, in: known.lanes.sorted(), what: "lane")
    let hour = 3_600 * Nanoseconds.second
    let day = names.newest.saturatingMultiply(by: hour)
    filter.until = until.map { $0.nanoseconds(onDayOf: day) / hour }
    filter.since = since.map { $0.nanoseconds(onDayOf: day) / hour }
    if let last {
      let end = filter.until ?? names.newest.saturatingAdd(1)
      filter.since = end - min(max(last.nanoseconds / hour, 1), end)
    }
    if let since = filter.since, let until = filter.until, since >= until {
      throw Failure(.badInput, "the range of time ends before it begins; hours are whole")
    }
    return filter
  }

  /// Throws ``Failure`` for a name that is not known.
  static func require(_ names: [String], in known: [String], what: String) throws {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw Failure(.badInput, String(describing: FilterError.unknown(what: what, name: unknown, known: known)))
  }

  private static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }

  private static func moment(_ text: String) throws -> Moment {
    guard let moment = Moment(text) else { throw ValidationError("it must be \(Moment.expected)") }
    return moment
  }

}

extension FleetFormat: ExpressibleByArgument {}

/// How an answer about a fleet is written.
struct FleetOutput: ParsableArguments {
  @Option(help: "The output format.")
  var format: FleetFormat = .text

  @OptionGroup var output: OutputOption

  /// Writes the answer. Throws ``Failure`` where the file is one of the stores that were read.
  func write(_ document: FleetDocument, reading paths: [String]) throws {
    if let path = output.path, let same = paths.first(where: { FileIdentity.isSame($0, path) }) {
      throw Failure(.badInput, "\(same): is one of the stores that are read; name another file to write to")
    }
    try OutputDestination.write(to: output.path) { sink in
      try FleetRenderer(style: output.style).render(document, as: format, into: sink)
    }
  }
}
