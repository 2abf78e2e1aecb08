import ArgumentParser
import StallwatchCore
import StallwatchReport
import StallwatchStore

/// What of a store a verb reads.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read only what was from then on: a date such as 2026-05-01T14:05:00Z, or a time of day in UTC such as 14:05 on "
        + "the day on which the last session began.", valueName: "moment"),
    transform: { try Self.moment($0) })
  var since: Moment?

  @Option(
    help: ArgumentHelp("Read only what was before; written like --since.", valueName: "moment"),
    transform: { try Self.moment($0) })
  var until: Moment?

  @Option(
    help: ArgumentHelp(
      "Read only this much, up to --until or the last sign of life of the sessions.", valueName: "duration"),
    transform: DurationArgument.parse)
  var last: DurationArgument?

  @Option(
    name: .customLong("session"),
    help: ArgumentHelp(
      "Read only this session. May be given several times, as what follows up to the duration.", valueName: "number"))
  var sessions: [Int64] = []

  @Option(
    name: .customLong("service"),
    help: ArgumentHelp("Read only sessions of this service; where none was said, of this program.", valueName: "name"))
  var services: [String] = []

  @Option(
    name: .customLong("release"),
    help: ArgumentHelp(
      "Read only sessions of this release; where none was said, of this beginning of a build-id.", valueName: "version")
  )
  var releases: [String] = []

  @Option(
    name: .customLong("environment"),
    help: ArgumentHelp("Read only sessions of this environment.", valueName: "name"))
  var environments: [String] = []

  @Option(
    name: .customLong("instance"),
    help: ArgumentHelp("Read only sessions of this instance; where none was said, of this host.", valueName: "name"))
  var instances: [String] = []

  @Option(
    name: .customLong("tag"),
    help: ArgumentHelp(
      "Read only sessions with this tag, and with one of each other name that is given.", valueName: "name=value"),
    transform: { try LabelOptions.tag($0) })
  var tags: [SessionLabels.Tag] = []

  @Option(
    name: .customLong("loop"), help: ArgumentHelp("Read only loops and other lanes of this name.", valueName: "name"))
  var loops: [String] = []

  @Option(name: .customLong("mode"), help: ArgumentHelp("Read only modes of this name.", valueName: "name"))
  var modes: [String] = []

  @Option(
    name: .customLong("cause"),
    help: ArgumentHelp(
      "Read only stalls that were mostly 'running', 'blocked' or 'starved', or of this cause of a report.",
      valueName: "cause"))
  var causes: [String] = []

  @Option(
    name: .customLong("annotation"),
    help: ArgumentHelp(
      "Read only stalls with this annotation, and with each other that is given.", valueName: "key=value"),
    transform: { try Self.annotation($0) })
  var annotations: [StoreFilter.Annotation] = []

  @Option(
    help: ArgumentHelp("Read only stalls of at least this duration.", valueName: "duration"),
    transform: DurationArgument.parse)
  var minDuration: DurationArgument?

  func validate() throws {
    if last != nil, since != nil { throw ValidationError("--last and --since exclude each other; give one of them.") }
    if let last, last.nanoseconds == 0 { throw ValidationError("--last must be longer than 0.") }
  }

  /// What is asked for.
  var request: FilterRequest {
    var request = FilterRequest()
    (request.since, request.until, request.last) = (since, until, last?.nanoseconds)
    (request.sessions, request.loops, request.modes, request.causes) = (sessions, loops, modes, causes)
    request.labels = [
      .service: services, .release: releases, .environment: environments, .instance: instances,
    ]
    request.tags = tags
    (request.annotations, request.leastDuration) = (annotations, minDuration?.nanoseconds ?? 0)
    return request
  }

  private static func moment(_ text: String) throws -> Moment {
    guard let moment = Moment(text) else { throw ValidationError("it must be \(Moment.expected)") }
    return moment
  }

  private static func annotation(_ text: String) throws -> StoreFilter.Annotation {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { throw ValidationError("write KEY=VALUE") }
    return StoreFilter.Annotation(key: parts[0], value: parts[1])
  }
}
