import Foundation
import Scenarios

/// Holds a report against what a scenario printed. Pure: text in, disagreements out.
struct ScenarioJudge {
  /// What the scenario printed.
  var lines: [ScenarioLine]
  /// How many of a mode's first runs may be missing: 0 where every mode is seen before its first run, 1 for a monitor
  /// that has to discover modes.
  var missableEntries = 0
  /// Stallwatch's default threshold.
  var thresholdNs: UInt64 = 50_000_000

  /// A report may be shorter than the hold that it reports by as much as clocks are read apart …
  private static let shortfallNs: UInt64 = 1_000_000
  /// … and longer by the healthy rest of its span.
  private static let excessNs: UInt64 = 20_000_000

  /// Reads a scenario's output, one JSON object a line.
  init(output: String, missableEntries: Int = 0) throws {
    lines = try output.split(separator: "\n").map { try JSONDecoder().decode(ScenarioLine.self, from: Data($0.utf8)) }
    self.missableEntries = missableEntries
  }

  /// Where the report and the scenario disagree, in words; empty when they agree.
  func disagreements(report: Data, stalls: Data) throws -> [String] {
    let loops = try JSONDecoder().decode(ReportedLoops.self, from: report).loops
    let items = try JSONDecoder().decode(ReportedStalls.self, from: stalls).items
    return ownFailures + loopDisagreements(loops) + modeDisagreements(loops) + stallDisagreements(items)
  }

  /// What the program itself did not do.
  private var ownFailures: [String] {
    guard let end = lines.last, end.kind == .end else { return ["the scenario did not come to its end"] }
    return end.failures ?? []
  }

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

  private func modeDisagreements(_ loops: [ReportedLoops.Loop]) -> [String] {
    let expected = lines.filter { $0.kind == .expectMode }
    var disagreements: [String] = []
    for line in expected {
      let loop = loops.first { $0.threadID == line.threadID }
      let mode = loop?.modes.first { $0.name == line.mode }
      let what = "\(line.mode ?? "") of \(line.loop ?? "")"
      let entries = mode?.entries ?? 0
      let fewest = max(1, (line.entriesAtLeast ?? 1) - missableEntries)
      if entries < fewest || entries > line.entriesAtMost ?? .max {
        disagreements.append("\(what) has \(entries) entries, not \(line.entriesAtLeast ?? 1)")
      }
      let starvedNs = mode?.starvedNs ?? 0
      if starvedNs < line.starvedAtLeastNs ?? 0 {
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

  private func stallDisagreements(_ items: [ReportedStalls.Item]) -> [String] {
    var rest = items.filter { $0.kind == "stall" && $0.state != "cancelled" }
    var disagreements: [String] = []
    for line in lines where line.kind == .expectStall {
      guard let index = rest.firstIndex(where: { $0.threadID == line.threadID && overlapNs($0, line) > 0 }) else {
        disagreements.append("the stall \(line.hold ?? "") is missing")
        continue
      }
      disagreements += mismatches(rest.remove(at: index), line)
    }
    let unexplained = rest.filter { ($0.durationNs ?? .max) - preemptedNs($0) >= thresholdNs - 2_000_000 }
    return disagreements + unexplained.map { "nothing explains \($0)" }
  }

  private func mismatches(_ item: ReportedStalls.Item, _ line: ScenarioLine) -> [String] {
    let heldNs = line.durationNs ?? 0
    let durationNs = item.durationNs ?? 0
    let isRight =
      item.mode == line.mode && item.depth == line.depth && item.phase == line.phase && item.state == "ended"
      && durationNs + Self.shortfallNs >= heldNs && durationNs <= heldNs + Self.excessNs + preemptedNs(item)
    return isRight
      ? []
      : [
        "\(line.hold ?? "") held \(line.mode ?? "") for \(heldNs / 1_000) us at depth \(line.depth ?? 0) in phase "
          + "\(line.phase ?? ""), but there is \(item)"
      ]
  }

  /// The part of a report in which the machine was late.
  private func preemptedNs(_ item: ReportedStalls.Item) -> UInt64 {
    lines.filter { $0.kind == .preempted }.reduce(0) { $0 + overlapNs(item, $1) }
  }

  private func overlapNs(_ item: ReportedStalls.Item, _ line: ScenarioLine) -> UInt64 {
    let start = max(item.startedNs, line.startedNs ?? 0)
    let end = min(item.startedNs + (item.durationNs ?? 0), (line.startedNs ?? 0) + (line.durationNs ?? 0))
    return end > start ? end - start : 0
  }
}
