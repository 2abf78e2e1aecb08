import ArgumentParser
import StallwatchFleet
import StallwatchReport

/// `stallwatch fleet diff`: what changed between two releases.
struct FleetDiffVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Reports what changed between two releases of a fleet, and whether that is more than chance.",
    discussion: """
      Asks what 'diff' asks, by the same test, with instances in place of sessions: which causes are new, gone, longer or \
      more frequent, and whether the hang rate and the percentiles of spans moved. An instance that ran both releases is \
      one on each side. With fewer than five instances a side no change can be shown, and the answer says so.

      Exit codes: 0 done; 1 something is new or worse and --fail-on-regression was given.

      Examples:

        stallwatch fleet diff --from stores/ --base 1.0 --new 2.0
        stallwatch fleet diff --from stores/ --base 1.0 --new 2.0 --fail-on-regression --format markdown -o comment.md
      """)

  @Option(help: ArgumentHelp("The release to compare with.", valueName: "release"))
  var base: String

  @Option(help: ArgumentHelp("The release to judge.", valueName: "release"))
  var new: String

  @Flag(help: "Exit with 1 where something is new or worse.")
  var failOnRegression = false

  @Option(
    help: ArgumentHelp(
      "The confidence that chance makes nothing new or worse, at most "
        + "\(ComparisonConfiguration.confidences.upperBound).", valueName: "share"))
  var confidence = FleetComparison.configuration.confidence

  @Option(
    help: ArgumentHelp("The least change of a rate or a duration over all instances that counts.", valueName: "share"))
  var leastChange = FleetComparison.configuration.leastChange

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var symbols: SymbolsOption
  @OptionGroup var output: FleetOutput

  func validate() throws {
    let range = ComparisonConfiguration.confidences
    guard range.contains(confidence) else {
      throw ValidationError("--confidence must be above 0 and at most \(range.upperBound).")
    }
    guard leastChange >= 0, leastChange < 10 else { throw ValidationError("--least-change must be from 0 to 10.") }
    guard fleet.releases.isEmpty else {
      throw ValidationError("--release does not go with 'fleet diff': --base and --new name the releases.")
    }
    guard base != new else { throw ValidationError("--base and --new name the same release.") }
  }

  func run() throws {
    var configuration = FleetComparison.configuration
    (configuration.confidence, configuration.leastChange) = (confidence, leastChange)
    let comparison = try fleet.ask(symbols.search()) { source, filter in
      let known = try source.known().services[filter.service ?? ""]?.releases.sorted() ?? []
      try FleetOptions.require([base, new], in: known, what: "release")
      do {
        return try FleetComparison(source, filter, base: base, new: new, configuration: configuration)
      } catch FleetComparison.Obstacle.empty(let release) {
        throw Failure(
          .badInput,
          "release '\(DisplayText.name(release, to: 60))' was not in use in that time; there is nothing to compare")
      }
    }
    try output.write(comparison.document(), reading: fleet.paths())
    if failOnRegression, comparison.comparison.isRegression { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }
}
