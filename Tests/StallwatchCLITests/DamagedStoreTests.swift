import Foundation
import TestPrograms
import Testing

/// A store that was cut short or changed anywhere is read or refused in one line; no verb crashes, hangs or changes it.
@Suite(.serialized) struct DamagedStoreTests {
  private static let stallwatch = Built.product("stallwatch")
  private static let verbs = [
    ["report"], ["stalls"], ["report", "--format", "json"], ["export", "--format", "perfetto"],
    ["export", "--format", "firefox"],
    ["timers"], ["timers", "--format", "json"],
  ]
  private let directory: TestDirectory
  private let store: Data

  init() throws {
    directory = try TestDirectory()
    let sample = try SampleStore(stalls: 200, sampled: true, timers: 20)
    store = try withExtendedLifetime(sample) { try Data(contentsOf: URL(fileURLWithPath: sample.path)) }
  }

  /// Reads `content` by every verb. Returns how many of them refused it.
  private func refusals(of content: Data, _ what: String) throws -> Int {
    let path = directory.file("mutated.stallwatch")
    try content.write(to: URL(fileURLWithPath: path))
    var refusals = 0
    for verb in Self.verbs {
      let run = try TestRun.run([Self.stallwatch] + verb + [path])
      #expect([0, 2, 3].contains(run.exitCode), "\(what), \(verb): \(run.exitCode) \(run.errorText)")
      let lines = run.errorText.split(separator: "\n")
      #expect(lines.count == (run.exitCode == 0 ? 0 : 1), "\(what), \(verb): \(run.errorText)")
      #expect(lines.allSatisfy { $0.hasPrefix("stallwatch: \(path)") }, "\(what), \(verb): \(run.errorText)")
      if run.exitCode != 0 { refusals += 1 }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content, "\(what)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["mutated.stallwatch"], "\(what)")
    return refusals
  }

  @Test func `cut short at any length it is refused`() throws {
    var chance = SeededChance(state: 11)
    let anywhere = (0..<20).map { _ in Int(chance.next() % UInt64(store.count)) }
    for length in [0, 1, 99, 100, 4_095, 4_096, store.count - 1] + anywhere {
      #expect(try refusals(of: store.prefix(length), "cut to \(length) bytes") == Self.verbs.count)
    }
  }

  @Test func `with bytes changed anywhere it is read or refused`() throws {
    var chance = SeededChance(state: 12)
    var refused = 0
    let copies = 200
    for copy in 0..<copies {
      var content = store
      // One byte of the whole, a handful, or one of the header and the first tables, where most hangs on it.
      let region = copy % 3 == 0 ? min(8_192, store.count) : store.count
      var changed: [Int] = []
      for _ in 0..<(copy % 2 == 0 ? 1 : 12) {
        let place = Int(chance.next() % UInt64(region))
        content[place] ^= UInt8(truncatingIfNeeded: 1 + chance.next() % 255)
        changed.append(place)
      }
      refused += try refusals(of: content, "copy \(copy), changed at \(changed)") > 0 ? 1 : 0
    }
    // Neither all nor none, or the changes did not reach what is read.
    #expect((1..<copies).contains(refused))
  }
}

/// Random numbers that are the same in each run.
private struct SeededChance {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
