import ArgumentParser
import StallwatchFleet
import StallwatchReport

/// `stallwatch fleet check`: a gate for a release.
struct FleetCheckVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a release of a fleet against a budget, for CI.",
    discussion: """
      A budget is a file in TOML:

        [release]
        hang_rate = 2.0           # seconds of stalls of 250 ms or more per hour of use
        hangs = 5                 # such stalls per hour of use
        least_hours = 100         # of less use, nothing is known
        least_instances = 20
        [causes]
        new = 0.01                # no new cause hits more than this share of the instances
        regressed = 0             # nor one that came back
        [lane.main.span]
        p99 = "8ms"

      Whether a cause is new follows from earlier releases, so do not cut those off with --since. A limit on an \
      unknown value does not hold. Without --release, the newest release is checked. Exit codes: 0 all limits hold; \
      1 at least one does not.

      Examples:

        stallwatch fleet check --from stores/ --budget fleet.toml
        stallwatch fleet check --from stores/ --budget fleet.toml --release 2.0 --format json
      """)

  @Option(help: ArgumentHelp("The budget, a file in TOML.", valueName: "file"), completion: .file())
  var budget: String

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var symbols: SymbolsOption
  @OptionGroup var output: FleetOutput

  func validate() throws {
    guard fleet.releases.count < 2 else { throw ValidationError("--release: 'fleet check' checks one release.") }
  }

  func run() throws {
    let limits = try BudgetFile.reading(budget) { (value) throws(BudgetError) in try FleetBudget(value) }
    let judgement = try fleet.ask(symbols.search()) { source, filter in
      // Earlier releases show which causes are new.
      var whole = filter
      whole.releases = []
      let known = try source.summary(whole)
      guard let release = filter.releases.first ?? known.releases.last else {
        throw Failure(.badInput, "\(source.name): nothing was watched in that time; there is no release to check")
      }
      return FleetJudgement(limits, release: release, of: known)
    }
    try output.write(judgement.document, reading: [budget] + fleet.paths())
    if !judgement.isKept { throw ExitCode(Failure.Status.exceeded.rawValue) }
  }
}
