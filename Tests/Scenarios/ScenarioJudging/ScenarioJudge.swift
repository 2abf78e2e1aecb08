import Foundation
import Scenarios

/// Holds a report against what a scenario printed. Pure: text in, verdict out.
public struct ScenarioJudge {
  /// What the scenario printed.
  public var lines: [ScenarioLine]
  /// Whether the monitor has hooks, which show it every mode before its first run. Without, a run in a mode made late is
  /// attached to within one threshold, and the time before is blind.
  public var hasHooks: Bool

  /// Stallwatch's default threshold.
  let thresholdNs: UInt64 = 50_000_000
  /// A report may be shorter than the hold that it reports by as much as clocks are read apart …
  static let shortfallNs: UInt64 = 1_000_000
  /// … and longer by the healthy rest of its span.
  static let excessNs: UInt64 = 20_000_000
  /// A machine that kept a thread waiting for so long at once may have kept the monitor from its looks as well.
  static let lateNs: UInt64 = 10_000_000

  /// Reads a scenario's output, one JSON object a line.
  public init(output: String, hasHooks: Bool = true) throws {
    lines = try output.split(separator: "\n").map { try JSONDecoder().decode(ScenarioLine.self, from: Data($0.utf8)) }
    self.hasHooks = hasHooks
  }

  /// Judges what `stallwatch report` and `stallwatch stalls` say as JSON.
  public func verdict(report: Data, stalls: Data) throws -> Verdict {
    let report = try JSONDecoder().decode(ReportedLoops.self, from: report)
    let items = try JSONDecoder().decode(ReportedStalls.self, from: stalls).items
    var verdict = Verdict()
    verdict.disagreements =
      ownFailures + sessionDisagreements(report) + loopDisagreements(report.loops) + modeDisagreements(report)
      + blindness(report)
    verdict += judgeStalls(items, unobservedNs: report.health.blindNs)
    if let looks = lostLooks(report), wasLate { verdict.excuses.append(looks) }
    return verdict
  }

  /// What the program itself did not do.
  private var ownFailures: [String] {
    guard let end = lines.last, end.kind == .end else { return ["the scenario did not come to its end"] }
    return end.failures ?? []
  }

  private func sessionDisagreements(_ report: ReportedLoops) -> [String] {
    let ended = report.sessions.map(\.ended)
    return (ended == ["clean"] ? [] : ["the sessions ended \(ended), not once and cleanly"])
      + report.health.losses.filter { $0.key != "looks" }.sorted { $0.key < $1.key }
      .map { "\($0.value) \($0.key) were lost" }
      + (wasLate ? [] : [lostLooks(report)].compactMap(\.self))
  }

  /// A thread that is given no processor gives no stack: that the look at it is lost is right, on a machine that was late.
  private func lostLooks(_ report: ReportedLoops) -> String? {
    report.health.losses["looks"].map { "\($0) looks were lost" }
  }

  var wasLate: Bool { lines.contains { $0.kind == .preempted && $0.durationNs ?? 0 >= Self.lateNs } }

  private func loopDisagreements(_ loops: [ReportedLoops.Loop]) -> [String] {
    let expected = lines.filter { $0.kind == .expectLoop }
    let missing = expected.compactMap { line -> String? in
      guard let loop = loops.first(where: { $0.threadID == line.threadID }) else {
        return "the loop \(line.loop ?? "") is not in the report"
      }
      return loop.name == line.loop ? nil : "the loop \(line.loop ?? "") is called \(loop.name)"
    }
    let extra = loops.filter { loop in
      loop.modes.contains { $0.entries > 0 } && !expected.contains { $0.threadID == loop.threadID }
    }
    return missing + extra.map { "the loop \($0.name) was never run" }
  }

  private func modeDisagreements(_ report: ReportedLoops) -> [String] {
    let loops = report.loops
    let unseenNs = mostUnseenNs(report)
    let expected = lines.filter { $0.kind == .expectMode }
    var disagreements: [String] = []
    for line in expected {
      let mode = reported(line, in: loops)
      let what = "\(line.mode ?? "") of \(line.loop ?? "")"
      let entries = mode?.entries ?? 0
      if entries < fewestEntries(line, unseenNs) || entries > line.entriesAtMost ?? .max {
        disagreements.append("\(what) has \(entries) entries, not \(line.entriesAtLeast ?? 1)")
      }
      let starvedNs = mode?.starvedNs ?? 0
      if starvedNs < leastStarvedNs(line, unseenNs) {
        disagreements.append("\(what) starved for \(starvedNs) ns, not \(line.starvedAtLeastNs ?? 0) or more")
      }
    }
    for loop in loops {
      for mode in loop.modes where mode.entries > 0 {
        if !expected.contains(where: { $0.threadID == loop.threadID && $0.mode == mode.name }) {
          disagreements.append("\(mode.name) of \(loop.name) was never run")
        }
      }
    }
    return disagreements
  }

  private func reported(_ line: ScenarioLine, in loops: [ReportedLoops.Loop]) -> ReportedLoops.Mode? {
    loops.first { $0.threadID == line.threadID }?.modes.first { $0.name == line.mode }
  }

  /// For how long a mode may run before the monitor attaches to it: a threshold, unless it had no processor by then. It says
  /// how long that was.
  private func mostUnseenNs(_ report: ReportedLoops) -> UInt64 {
    hasHooks ? 0 : max(thresholdNs, report.health.blindNs)
  }

  private func fewestEntries(_ line: ScenarioLine, _ unseenNs: UInt64) -> Int {
    let thresholds = Int((unseenNs + thresholdNs - 1) / thresholdNs)
    return (line.entriesAtLeast ?? 1) - (line.entriesInThreshold ?? 1) * thresholds
  }

  /// A mode starves while a nested one runs, and that one may be unseen.
  private func leastStarvedNs(_ line: ScenarioLine, _ unseenNs: UInt64) -> UInt64 {
    let starvedNs = line.starvedAtLeastNs ?? 0
    return hasHooks ? starvedNs : starvedNs - min(starvedNs, unseenNs + Self.shortfallNs)
  }

  /// Time not observed is reported, and only where there was some.
  private func blindness(_ report: ReportedLoops) -> [String] {
    let blindNs = report.health.blindNs
    if hasHooks { return blindNs == 0 ? [] : ["\(blindNs) ns were blind, though hooks show every mode"] }
    let missed = lines.filter { line in
      line.kind == .expectMode && (reported(line, in: report.loops)?.entries ?? 0) < line.entriesAtLeast ?? 1
    }
    return missed.isEmpty || blindNs > 0
      ? [] : missed.map { "a run of \($0.mode ?? "") was missed, and no blind interval says so" }
  }
}
