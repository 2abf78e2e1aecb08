import Foundation
import TestPrograms
import Testing

/// Sampled stalls of every kind that the workload knows, grouped by what held the loop.
@Suite(.serialized) struct SignatureCorpusTests {
  private struct Hold: Decodable {
    var kind: String
    var how: String?
    var startedNs: UInt64?
    var durationNs: UInt64?
  }

  private struct Stalls: Decodable {
    struct Item: Decodable {
      var startedNs: UInt64
      var durationNs: UInt64
      var signature: String?
      var samples: Int
    }
    var items: [Item]
  }

  private static let decoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }()

  @Test func `stalls of one kind are one group, and those of another kind are another`() throws {
    let bench = try RecordBench()
    let truth = bench.files.file("truth.jsonl")
    let record = try bench.record([
      Built.product("stallwatch-workload"), "--seed", "5", "--stalls", "30", "--threads", "0", "--min-stall", "150ms",
      "--max-stall", "250ms", "--truth", truth,
    ])
    #expect(record.exitCode == 0, "\(record.errorText)")
    let lines = try String(contentsOfFile: truth, encoding: .utf8).split(separator: "\n")
    let holds = try lines.map { try Self.decoder.decode(Hold.self, from: Data($0.utf8)) }.filter { $0.kind == "stall" }
    let listed = try TestRun.run([
      RecordBench.stallwatch, "stalls", bench.files.file("store.stallwatch"), "--format", "json",
    ])
    var groups: [String: [String: Int]] = [:]
    for stall in try Self.decoder.decode(Stalls.self, from: Data(listed.text.utf8)).items {
      // On a busy machine a thread that computes may not have come to answer; what held it is then not known.
      guard stall.durationNs >= 140_000_000, stall.samples > 4, let signature = stall.signature else { continue }
      let middle = stall.startedNs + stall.durationNs / 2
      let hold = holds.first { ($0.startedNs!...$0.startedNs! + $0.durationNs!).contains(middle) }
      groups[try #require(hold?.how), default: [:]][signature, default: 0] += 1
    }
    #expect(Set(groups.keys) == ["spin", "usleep", "lock", "fsync", "allocation"])
    // On a busy machine one may be met mostly where it begins or ends; the others of its kind are not. A hold in a file is
    // now in the write and now in fsync, as the disk has it.
    for (kind, signatures) in groups where kind != "fsync" {
      let all = signatures.values.reduce(0, +)
      #expect((signatures.values.max() ?? 0) * 2 > all, "\(kind): \(signatures)")
    }
    #expect(Set(groups.values.compactMap { $0.max { $0.value < $1.value }?.key }).count == groups.count, "\(groups)")
  }
}
