import Foundation
import Testing

/// `tools/judge/compare` over truths and reports made up for it.
@Suite(.serialized) struct CompareTests {
  private let directory: TemporaryDirectory
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../tools/judge/compare").standardizedFileURL.path

  init() throws { directory = try TemporaryDirectory() }

  // MARK: Made-up lines. Times are milliseconds.

  private func hold(_ number: Int, at start: Double, _ duration: Double, mode: String = "A", depth: Int = 1) -> String {
    """
    {"kind":"stall","number":\(number),"loop":"main","thread_id":7,"mode":"\(mode)","depth":\(depth),"how":"spin",\
    "callout":"timer","started_ns":\(ns(start)),"duration_ns":\(ns(duration)),"run_delay_ns":0}
    """
  }

  private func item(
    at start: Double, _ duration: Double, mode: String = "A", depth: Int = 1, thread: Int = 7, kind: String = "stall",
    state: String = "ended"
  ) -> String {
    """
    {"id":1,"loop_name":"main","thread_id":\(thread),"mode":"\(mode)","phase":"service","depth":\(depth),\
    "kind":"\(kind)","started_ns":\(ns(start)),"duration_ns":\(ns(duration)),"detected_after_ns":50200000,\
    "state":"\(state)"}
    """
  }

  private func preempted(at start: Double, _ duration: Double, thread: Int? = nil, delay: Double = 0) -> String {
    let whose = thread.map { #""thread_id":\#($0),"run_delay_ns":\#(ns(delay)),"# } ?? ""
    return #"{"kind":"preempted",\#(whose)"started_ns":\#(ns(start)),"duration_ns":\#(ns(duration))}"#
  }

  private func ns(_ milliseconds: Double) -> Int { Int((milliseconds * 1e6).rounded()) }

  private func compare(truth: [String], stalls: [String], options: [String] = []) throws -> (Int32, String) {
    let truthPath = directory.path("truth.jsonl")
    let stallsPath = directory.path("stalls.json")
    try truth.map { $0 + "\n" }.joined().write(toFile: truthPath, atomically: true, encoding: .utf8)
    try #"{"schema":"stallwatch.stalls/1","items":[\#(stalls.joined(separator: ","))]}"#
      .write(toFile: stallsPath, atomically: true, encoding: .utf8)
    return try run([truthPath, stallsPath] + options)
  }

  private func run(_ arguments: [String]) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Self.script] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  // MARK: Verdicts

  @Test func aPerfectReportPasses() throws {
    let (status, output) = try compare(
      truth: [hold(1, at: 100, 80), hold(2, at: 300, 40), hold(3, at: 400, 200, mode: "B", depth: 2)],
      stalls: [item(at: 99.9, 80.3), item(at: 400, 200.4, mode: "B", depth: 2)])
    #expect(status == 0)
    #expect(output.contains("recall             100.00 % (2 of 2)"))
    #expect(output.contains("precision          100.00 % (2 of 2)"))
    #expect(output.contains("duration error     p50 0.300 ms, p99 0.400 ms, max 0.400 ms"))
    #expect(output.contains("onset error        p50 0.000 ms, p99 0.100 ms, max 0.100 ms"))
    #expect(output.contains("detection latency  p50 0.200 ms"))
  }

  @Test func aMissFails() throws {
    let (status, output) = try compare(
      truth: [hold(1, at: 100, 80), hold(2, at: 300, 52)], stalls: [item(at: 100, 80)])
    #expect(status == 1)
    #expect(output.contains("missed in"))
    #expect(output.contains("52.000 ms spin in timer on main, A, depth 1"))
  }

  @Test func withinTwoMillisecondsOfTheThresholdEitherAnswerIsRight() throws {
    let truth = [hold(1, at: 100, 80), hold(2, at: 300, 51.9), hold(3, at: 500, 48.1)]
    #expect(try compare(truth: truth, stalls: [item(at: 100, 80)]).0 == 0)
    #expect(try compare(truth: truth, stalls: [item(at: 100, 80), item(at: 300, 52), item(at: 500, 48.9)]).0 == 0)
  }

  @Test(arguments: [("B", 1, 7), ("A", 2, 7), ("A", 1, 8)])
  func aStallInTheWrongPlaceFails(mode: String, depth: Int, thread: Int) throws {
    let (status, output) = try compare(
      truth: [hold(1, at: 100, 80)], stalls: [item(at: 100, 80, mode: mode, depth: depth, thread: thread)])
    #expect(status == 1)
    #expect(output.contains("recall             0.00 % (0 of 1)"))
    #expect(output.contains("FAIL  nothing reported that truth does not hold"))
  }

  @Test func aReportedNearMissFailsUnlessTheMachineExplainsIt() throws {
    let stalls = [item(at: 100, 80), item(at: 300, 58)]
    let truth = [hold(1, at: 100, 80), hold(2, at: 301, 40)]
    #expect(try compare(truth: truth, stalls: stalls).0 == 1)
    let late = try compare(truth: truth + [preempted(at: 341, 17)], stalls: stalls)
    #expect(late.0 == 0)
    #expect(late.1.contains("not in truth, but the machine's"))
    #expect(late.1.contains("precision          100.00 % (1 of 1)"))
    #expect(try compare(truth: truth + [preempted(at: 341, 400, thread: 7, delay: 15)], stalls: stalls).0 == 0)
    #expect(try compare(truth: truth + [preempted(at: 341, 400, thread: 7, delay: 5)], stalls: stalls).0 == 1)
    #expect(try compare(truth: truth + [preempted(at: 341, 400, thread: 8, delay: 15)], stalls: stalls).0 == 1)
  }

  @Test func aStallReportedTwiceFails() throws {
    #expect(try compare(truth: [hold(1, at: 100, 180)], stalls: [item(at: 100, 110), item(at: 215, 60)]).0 == 1)
  }

  @Test func congestionAndCancelledStallsDoNotCount() throws {
    let (status, _) = try compare(
      truth: [hold(1, at: 100, 80)],
      stalls: [item(at: 100, 80), item(at: 300, 70, kind: "congestion"), item(at: 500, 70, state: "cancelled")])
    #expect(status == 0)
  }

  @Test func wrongDurationsFail() throws {
    let (status, output) = try compare(truth: [hold(1, at: 100, 80)], stalls: [item(at: 100, 81.5)])
    #expect(status == 1)
    #expect(output.contains("FAIL  durations within 1 ms for 99 %"))
  }

  @Test func whatTheMachineDidToASpanAroundItsHoldIsNoErrorOfItsDuration() throws {
    let truth = [hold(1, at: 100, 80)]
    let stalls = [item(at: 100, 84)]
    #expect(try compare(truth: truth + [preempted(at: 180, 60, thread: 7, delay: 5)], stalls: stalls).0 == 0)
    #expect(try compare(truth: truth + [preempted(at: 180, 60, thread: 7, delay: 2)], stalls: stalls).0 == 1)
    // Inside the hold it lengthened truth and report alike.
    #expect(try compare(truth: truth + [preempted(at: 120, 12)], stalls: stalls).0 == 1)
  }

  @Test func aHoldThatTheProgramDiedInWantsAFatalStall() throws {
    let open = hold(9, at: 500, 0).replacingOccurrences(of: #""kind":"stall""#, with: #""kind":"stall-began""#)
    let truth = [hold(1, at: 100, 80), open, preempted(at: 900, 11)]
    #expect(try compare(truth: truth, stalls: [item(at: 100, 80)]).0 == 1)
    #expect(try compare(truth: truth, stalls: [item(at: 100, 80), item(at: 500, 300, state: "fatal")]).0 == 0)
  }

  @Test func fewerStallsThanAskedForFail() throws {
    let (status, output) = try compare(
      truth: [hold(1, at: 100, 80)], stalls: [item(at: 100, 80)], options: ["--at-least", "2"])
    #expect(status == 1)
    #expect(output.contains("FAIL  at least 2 true stalls"))
  }

  @Test func theThresholdCanBeAnother() throws {
    let truth = [hold(1, at: 100, 80), hold(2, at: 300, 130)]
    #expect(try compare(truth: truth, stalls: [item(at: 300, 130)], options: ["--threshold", "100ms"]).0 == 0)
  }

  @Test func severalRunsAreJudgedTogether() throws {
    _ = try compare(truth: [hold(1, at: 100, 80)], stalls: [item(at: 100, 80)])
    let pair = [directory.path("truth.jsonl"), directory.path("stalls.json")]
    let (status, output) = try run(pair + pair)
    #expect(status == 0)
    #expect(output.contains("(2 of 2)"))
  }

  @Test func whatCannotBeReadExitsWith2AndOneLine() throws {
    _ = try compare(truth: [hold(1, at: 100, 80)], stalls: [])
    let truth = directory.path("truth.jsonl")
    let stalls = directory.path("stalls.json")
    for arguments in [[truth, truth], [stalls, stalls], [truth], [truth, directory.path("nothing.json")]] {
      let (status, output) = try run(arguments)
      #expect(status == 2)
      #expect(output.hasPrefix("compare: "))
      #expect(output.split(separator: "\n").count == 1)
    }
  }
}
