import Foundation
import TestPrograms
import Testing

/// The workload's lanes under `record`: what it says it did stands in the report.
@Suite struct RecordLanesTests {
  private struct Line: Decodable {
    var kind: String, loop: String?, laneKind: String?, startedNs: UInt64?, durationNs: UInt64?
  }
  private struct Stalls: Decodable {
    struct Item: Decodable { var loopName: String, startedNs: UInt64, durationNs: UInt64 }
    var items: [Item]
  }

  @Test func everyHoldThatSomebodyWaitsForIsFoundOnItsLane() throws {
    let bench = try RecordBench()
    let truth = bench.files.file("truth.jsonl")
    // Long ones: a busy machine makes others, never fewer. Where it delays a thread that asks for a queue, that thread
    // waits for less than the program says.
    let run = try bench.record([
      Built.product("stallwatch-workload"), "--lanes", "--seed", "5", "--stalls", "18", "--min-stall", "250ms",
      "--max-stall", "400ms", "--truth", truth,
    ])
    #expect(run.exitCode == 0)
    #expect(run.errorText == "")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let held = try String(contentsOfFile: truth, encoding: .utf8).split(separator: "\n")
      .map { try decoder.decode(Line.self, from: Data($0.utf8)) }
      .filter { $0.kind == "stall" && $0.durationNs! >= 200_000_000 }
    #expect(Set(held.map(\.laneKind)) == ["main queue", "queue", "pool", "actor", "event loop"])
    let json = try TestRun.run([
      Built.product("stallwatch"), "stalls", bench.files.file("store.stallwatch"), "--format", "json",
    ])
    let stalls = try decoder.decode(Stalls.self, from: json.output).items
    for hold in held {
      let middle = hold.startedNs! + hold.durationNs! / 2
      let found = stalls.contains {
        $0.loopName == hold.loop && $0.startedNs <= middle && middle <= $0.startedNs + $0.durationNs
      }
      #expect(found, "\(hold)")
    }
  }
}
