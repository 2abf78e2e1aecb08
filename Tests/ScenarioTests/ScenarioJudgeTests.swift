import Foundation
import ScenarioJudging
import Testing

/// The judge over a made-up scenario: one loop, two modes, one hold of 120 ms. Times are milliseconds.
@Suite struct ScenarioJudgeTests {
  private static let output = """
    {"kind":"expect-loop","loop":"main","thread_id":7}
    {"kind":"expect-mode","loop":"main","thread_id":7,"mode":"A","entries_at_least":3,"entries_at_most":3}
    {"kind":"expect-mode","loop":"main","thread_id":7,"mode":"B","entries_at_least":1,"entries_at_most":1,\
    "starved_at_least_ns":200000000}
    {"kind":"expect-stall","loop":"main","thread_id":7,"mode":"A","depth":1,"phase":"service","hold":"load",\
    "started_ns":1000000000,"duration_ns":120000000}
    {"kind":"end","scenario":"made-up","failures":[]}

    """

  private func report(
    name: String = "main", thread: Int = 7, entriesOfA: Int = 3, starvedOfB: Double = 210, more: String = "",
    blind: Double = 0, ended: String = "clean", losses: String = ""
  ) -> String {
    """
    {"sessions":[{"ended":"\(ended)"}],"health":{"blind_ns":\(ns(blind)),"losses":{\(losses)}},"loops":[{"id":1,"name":"\(name)","thread_id":\(thread),"modes":[
      {"name":"A","entries":\(entriesOfA),"starved_ns":null},
      {"name":"B","entries":1,"starved_ns":\(ns(starvedOfB))},{"name":"C","entries":0,"starved_ns":0}\(more)]}]}
    """
  }

  private func item(
    at start: Double = 999.9, _ duration: Double = 120.4, mode: String = "A", depth: Int = 1, phase: String = "service",
    thread: Int = 7, kind: String = "stall", state: String = "ended"
  ) -> String {
    """
    {"id":1,"loop_name":"main","thread_id":\(thread),"mode":"\(mode)","phase":"\(phase)","depth":\(depth),
     "kind":"\(kind)","started_ns":\(ns(start)),"duration_ns":\(ns(duration)),"state":"\(state)"}
    """
  }

  private func ns(_ milliseconds: Double) -> Int { Int((milliseconds * 1e6).rounded()) }

  private func disagreements(
    output: String = output, report: String? = nil, stalls: [String]? = nil, hasHooks: Bool = true
  ) throws -> [String] {
    try verdict(output: output, report: report, stalls: stalls, hasHooks: hasHooks).disagreements
  }

  private func verdict(
    output: String = output, report: String? = nil, stalls: [String]? = nil, hasHooks: Bool = true
  ) throws -> Verdict {
    let stalls = #"{"schema":"stallwatch.stalls/1","items":[\#((stalls ?? [item()]).joined(separator: ","))]}"#
    return try ScenarioJudge(output: output, hasHooks: hasHooks)
      .verdict(report: Data((report ?? self.report()).utf8), stalls: Data(stalls.utf8))
  }

  @Test func aFaithfulReportAgrees() throws {
    #expect(try disagreements().isEmpty)
  }

  @Test func aMissingOrMisnamedLoopIsNamed() throws {
    #expect(try disagreements(report: report(thread: 8)).contains("the loop main is not in the report"))
    #expect(try disagreements(report: report(name: "thread 7")) == ["the loop main is called thread 7"])
  }

  @Test(arguments: [2, 4])
  func aWrongCountOfEntriesIsNamed(entries: Int) throws {
    #expect(try disagreements(report: report(entriesOfA: entries)) == ["A of main has \(entries) entries, not 3"])
  }

  @Test func aMonitorWithoutHooksMayMissTheFirstEntryIfItSaysSo() throws {
    #expect(try disagreements(report: report(entriesOfA: 2, blind: 30), hasHooks: false).isEmpty)
    #expect(
      try disagreements(report: report(entriesOfA: 2), hasHooks: false)
        == ["a run of A was missed, and no blind interval says so"])
    #expect(try disagreements(report: report(entriesOfA: 1, blind: 30), hasHooks: false).count == 1)
    #expect(try disagreements(report: report(entriesOfA: 1, blind: 60), hasHooks: false).isEmpty)
    #expect(try disagreements(report: report(entriesOfA: 4, blind: 30), hasHooks: false).count == 1)
  }

  @Test func aMonitorWithHooksIsNeverBlind() throws {
    #expect(
      try disagreements(report: report(blind: 0.5)) == ["500000 ns were blind, though hooks show every mode"])
  }

  @Test func aSessionThatBrokeOffOrLostSomethingIsNamed() throws {
    #expect(try disagreements(report: report(ended: "killed")).count == 1)
    #expect(try disagreements(report: report(losses: #""spans":3"#)) == ["3 spans were lost"])
    #expect(try disagreements(report: report(losses: #""looks":1"#)) == ["1 looks were lost"])
  }

  @Test func tooLittleStarvationIsNamed() throws {
    #expect(try disagreements(report: report(starvedOfB: 190)).count == 1)
  }

  @Test func aModeThatWasNeverRunIsNamed() throws {
    let more = #",{"name":"D","entries":1,"starved_ns":0}"#
    #expect(try disagreements(report: report(more: more)) == ["D of main was never run"])
  }

  @Test func aMissingStallIsNamed() throws {
    #expect(try disagreements(stalls: []) == ["the stall load is missing"])
    #expect(try disagreements(stalls: [item(state: "cancelled")]) == ["the stall load is missing"])
  }

  @Test func aMonitorWithoutHooksMayMissAHoldOnALateMachineIfItSaysSo() throws {
    let late = #"{"kind":"preempted","started_ns":900000000,"duration_ns":30000000}"# + "\n" + Self.output
    let unobserved = report(blind: 125)
    #expect(try disagreements(output: late, report: unobserved, stalls: [], hasHooks: false).isEmpty)
    #expect(try disagreements(output: late, report: report(blind: 110), stalls: [], hasHooks: false).count == 1)
    #expect(try disagreements(output: late, report: unobserved, stalls: []).contains("the stall load is missing"))
    #expect(try disagreements(report: unobserved, stalls: [], hasHooks: false) == ["the stall load is missing"])
  }

  @Test func aStallThatDiffersFromItsHoldIsNamed() throws {
    let wrong = [
      item(mode: "B"), item(depth: 2), item(phase: "sources"), item(state: "fatal"), item(110), item(150),
    ]
    for item in wrong { #expect(try disagreements(stalls: [item]).count == 1) }
    #expect(try disagreements(stalls: [item(thread: 8)]).count == 2)
  }

  @Test func nothingElseMayBeReported() throws {
    #expect(try disagreements(stalls: [item(), item(at: 2_000, 60)]).count == 1)
    #expect(try disagreements(stalls: [item(), item()]).count == 1)
    #expect(try disagreements(stalls: [item(), item(at: 2_000, 60, kind: "congestion")]).isEmpty)
  }

  @Test func theMachinesLatenessExcusesWhatItCoversAndIsTold() throws {
    let late = #"{"kind":"preempted","started_ns":2005000000,"duration_ns":30000000}"# + "\n"
    let excused = try verdict(output: late + Self.output, stalls: [item(), item(at: 2_000, 60)])
    #expect(excused.agrees && excused.excuses.count == 1)
    #expect(try disagreements(output: late + Self.output, stalls: [item(), item(at: 2_000, 90)]).count == 1)
    // Two witnesses of one lateness.
    #expect(try disagreements(output: late + late + Self.output, stalls: [item(), item(at: 2_000, 90)]).count == 1)
  }

  @Test(arguments: [7, 8])
  func theLatenessOfAThreadOrOfOneThatItMayWaitForExcusesItsStall(thread: Int) throws {
    let late =
      #"{"kind":"preempted","thread_id":\#(thread),"started_ns":2005000000,"duration_ns":30000000}"# + "\n"
    #expect(try disagreements(output: late + Self.output, stalls: [item(), item(at: 2_000, 60)]).isEmpty)
    #expect(try disagreements(output: late + Self.output, stalls: [item(), item(at: 2_000, 90)]).count == 1)
  }

  @Test func manyShortDelaysOfAThreadExcuseAsOneLongOneDoes() throws {
    let late = (0..<15).map { index in
      #"{"kind":"preempted","thread_id":7,"started_ns":\#(2_000_000_000 + index * 4_000_000),"duration_ns":2000000}"#
        + "\n"
    }
    #expect(try disagreements(output: late.joined() + Self.output, stalls: [item(), item(at: 2_000, 70)]).isEmpty)
    // A look that is lost needs a machine that was late for long at once.
    let lost = report(losses: #""looks":1"#)
    #expect(try disagreements(output: late.joined() + Self.output, report: lost).count == 1)
  }

  @Test func aStallThatOnlyHooksShowIsNotAskedOfAMonitorWithout() throws {
    let output = Self.output.replacingOccurrences(
      of: #""hold":"load""#, with: #""hold":"load","needs_hooks":true"#)
    #expect(try disagreements(output: output, stalls: [], hasHooks: false).isEmpty)
    #expect(try disagreements(output: output, stalls: []) == ["the stall load is missing"])
  }

  @Test func aScenarioThatFailedOrBrokeOffIsNamed() throws {
    let failed = Self.output.replacingOccurrences(of: #""failures":[]"#, with: #""failures":["late"]"#)
    #expect(try disagreements(output: failed) == ["late"])
    let broken = String(Self.output.split(separator: "\n").dropLast().joined(separator: "\n"))
    #expect(try disagreements(output: broken) == ["the scenario did not come to its end"])
  }
}
