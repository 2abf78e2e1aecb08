import Foundation
import TestPrograms

/// How the monitor comes to a scenario.
public enum Way: String, CaseIterable, Sendable {
  /// `stallwatch record` runs a program that knows nothing of it.
  case recorded
  /// The library is embedded, without hooks: it has to discover modes.
  case embedded
  /// The library is embedded, with hooks linked into the program.
  case hooked

  var hasHooks: Bool { self != .embedded }

  func command(scenario: String, store: String) -> [String] {
    switch self {
    case .recorded:
      [Built.product("stallwatch"), "record", "-o", store, "--", Built.product("scenario-program"), scenario]
    case .embedded: [Built.product("scenario-program-embedded"), scenario, store]
    case .hooked: [Built.product("scenario-program-hooked"), scenario, store]
    }
  }
}

/// A scenario played one way, and what was reported of it.
public struct ScenarioRun {
  /// What the judge says.
  public let verdict: Verdict

  /// Plays the scenario, asks `stallwatch` for its reports and judges them. The files stay in `directory`: the store, what
  /// the scenario printed (`.jsonl`) and what it said on standard error (`.log`).
  public init(_ scenario: String, _ way: Way, in directory: String) throws {
    let path = "\(directory)/\(scenario)-\(way.rawValue)"
    let store = "\(path).stallwatch"
    let play = try TestRun.run(way.command(scenario: scenario, store: store))
    try play.output.write(to: URL(fileURLWithPath: "\(path).jsonl"))
    try play.errors.write(to: URL(fileURLWithPath: "\(path).log"))
    let report = try TestRun.run([Built.product("stallwatch"), "report", store, "--format", "json"])
    let stalls = try TestRun.run([Built.product("stallwatch"), "stalls", store, "--format", "json"])
    guard report.exitCode == 0, stalls.exitCode == 0 else {
      verdict = Verdict(disagreements: [play.errorText + report.errorText + stalls.errorText])
      return
    }
    var verdict = try ScenarioJudge(output: play.text, hasHooks: way.hasHooks)
      .verdict(report: report.output, stalls: stalls.output)
    if play.exitCode != 0, verdict.agrees { verdict.disagreements = ["the program exited with \(play.exitCode)"] }
    self.verdict = verdict
  }
}
