import Foundation
import TestPrograms

/// What `report --format json` says of a recording, as far as tests ask.
struct RecordedReport: Decodable {
  struct Loop: Decodable {
    struct Mode: Decodable { var name: String }
    struct Distribution: Decodable { var count: Int }
    var name: String, isMain: Bool, kind: String, iterations: Int, busyNs: UInt64?, stallCount: Int
    var modes: [Mode], delayNs: Distribution
  }
  struct Stalls: Decodable {
    struct Item: Decodable {
      var id: Int, loop: Int, loopName: String, durationNs: UInt64, signature: String?, state: String, callout: String?
    }
    struct Signature: Decodable { var signature: String, title: String }
    var items: [Item], signatures: [Signature]
  }
  struct Health: Decodable {
    var losses: [String: Int]
    /// What did not fit. A look that yields no stack is none of it: on a busy machine the thread may answer too late.
    var lostRecords: [String: Int] { losses.filter { $0.key != "looks" } }
  }
  var loops: [Loop], stalls: Stalls, health: Health

  init(of store: String) throws {
    let run = try TestRun.run([Built.product("stallwatch"), "report", store, "--format", "json"])
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(RecordedReport.self, from: run.output)
  }

  /// The first stall whose signature names a function.
  func stall(in function: String) -> Stalls.Item? {
    let signatures = stalls.signatures.filter { $0.title.contains(function) }.map(\.signature)
    return stalls.items.first { signatures.contains($0.signature ?? "") }
  }
}
