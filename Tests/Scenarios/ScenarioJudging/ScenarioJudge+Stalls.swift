import Scenarios

extension ScenarioJudge {
  /// Every hold is a stall, and nothing else is, but for what the machine did. Of `unobservedNs` the report says that it
  /// covers them: on a machine that was late a monitor without hooks may miss a hold in a mode that it has not yet seen.
  func judgeStalls(_ items: [ReportedStalls.Item], unobservedNs: UInt64) -> Verdict {
    var unobservedNs = wasLate && !hasHooks ? unobservedNs : 0
    var rest = items.filter { $0.kind == "stall" && $0.state != "cancelled" }
    var verdict = Verdict()
    for line in lines where line.kind == .expectStall && (hasHooks || line.needsHooks != true) {
      guard let index = rest.firstIndex(where: { $0.threadID == line.threadID && overlapNs($0, line) > 0 }) else {
        let heldNs = line.durationNs ?? 0
        if heldNs <= unobservedNs {
          unobservedNs -= heldNs
          verdict.excuses.append("the stall \(line.hold ?? "") was not observed")
        } else {
          verdict.disagreements.append("the stall \(line.hold ?? "") is missing")
        }
        continue
      }
      verdict += compare(rest.remove(at: index), line)
    }
    for item in rest {
      if (item.durationNs ?? .max) < thresholdNs - 2_000_000 + latenessNs(item) {
        verdict.excuses.append("the machine was late for \(latenessNs(item) / 1_000) us of \(item)")
      } else {
        verdict.disagreements.append(
          "nothing explains \(item), for \(latenessNs(item) / 1_000) us of which the machine was late")
      }
    }
    return verdict
  }

  private func compare(_ item: ReportedStalls.Item, _ line: ScenarioLine) -> Verdict {
    let heldNs = line.durationNs ?? 0
    let durationNs = item.durationNs ?? 0
    let longestNs = heldNs + Self.excessNs
    let isRight =
      item.mode == line.mode && item.depth == line.depth && item.phase == line.phase && item.state == "ended"
      && durationNs + Self.shortfallNs >= heldNs && durationNs <= longestNs + latenessNs(item)
    var verdict = Verdict()
    if !isRight {
      verdict.disagreements = [
        "\(line.hold ?? "") held \(line.mode ?? "") for \(heldNs / 1_000) us at depth \(line.depth ?? 0) in phase "
          + "\(line.phase ?? ""), but there is \(item)"
      ]
    } else if durationNs > longestNs {
      verdict.excuses = ["the machine was late for \(latenessNs(item) / 1_000) us of \(item), \(line.hold ?? "")"]
    }
    return verdict
  }

  /// The part of a stall in which the machine was late: for the whole process, for the stall's own thread, or for one that
  /// may have held what that waited for. A delay that several lines report counts once.
  private func latenessNs(_ item: ReportedStalls.Item) -> UInt64 {
    let late = lines.filter { $0.kind == .preempted }
      .sorted { ($0.startedNs ?? 0) < ($1.startedNs ?? 0) }
    var sum: UInt64 = 0
    var reportedUntil = item.startedNs
    let end = item.startedNs + (item.durationNs ?? 0)
    for line in late {
      let lateUntil = min(end, (line.startedNs ?? 0) + (line.durationNs ?? 0))
      let lateFrom = max(reportedUntil, line.startedNs ?? 0)
      guard lateUntil > lateFrom else { continue }
      sum += lateUntil - lateFrom
      reportedUntil = lateUntil
    }
    return sum
  }

  private func overlapNs(_ item: ReportedStalls.Item, _ line: ScenarioLine) -> UInt64 {
    let start = max(item.startedNs, line.startedNs ?? 0)
    let end = min(item.startedNs + (item.durationNs ?? 0), (line.startedNs ?? 0) + (line.durationNs ?? 0))
    return end > start ? end - start : 0
  }
}
