import Foundation
import TestPrograms
import Testing

/// A store that was cut short or changed anywhere is read or refused in one line; no verb crashes, hangs or changes it.
@Suite(.serialized) struct DamagedStoreTests {
  private static let stallwatch = Built.product("stallwatch")
  /// With `STORE` and `BUDGET` for the files.
  private static let verbs = [
    ["report", "STORE"], ["stalls", "STORE"], ["report", "--format", "json", "STORE"],
    ["report", "--format", "html", "STORE"], ["export", "--format", "perfetto", "STORE"],
    ["export", "--format", "firefox", "STORE"], ["export", "--format", "openmetrics", "STORE"],
    ["timers", "STORE"], ["timers", "--format", "json", "STORE"], ["top", "--once", "STORE"],
    ["diff", "STORE", "STORE"], ["check", "--budget", "BUDGET", "STORE"],
  ]
  private let directory: TestDirectory
  private let budgets: TestDirectory
  private let store: Data

  init() throws {
    directory = try TestDirectory()
    budgets = try TestDirectory()
    try "stalls.count = 1000\nloop.main.span.p99 = \"1h\"\n".write(
      toFile: budgets.file("budget.toml"), atomically: true, encoding: .utf8)
    let sample = try SampleStore(stalls: 200, sampled: true, timers: 20)
    store = try withExtendedLifetime(sample) { try Data(contentsOf: URL(fileURLWithPath: sample.path)) }
  }

  /// Reads `content` by every verb. Returns how many of them refused it.
  private func refusals(of content: Data, _ what: String) throws -> Int {
    let path = directory.file("mutated.stallwatch")
    try content.write(to: URL(fileURLWithPath: path))
    var refusals = 0
    for verb in Self.verbs {
      let words = verb.map { $0 == "STORE" ? path : $0 == "BUDGET" ? budgets.file("budget.toml") : $0 }
      let run = try TestRun.run([Self.stallwatch] + words)
      // A budget may be exceeded by figures that nobody wrote, and a loop be gone.
      #expect(
        ([0, 2, 3] + (verb[0] == "check" ? [1] : [])).contains(run.exitCode),
        "\(what), \(verb): \(run.exitCode) \(run.errorText)")
      let lines = run.errorText.split(separator: "\n")
      #expect(lines.count == (run.exitCode <= 1 ? 0 : 1), "\(what), \(verb): \(run.errorText)")
      #expect(lines.allSatisfy { $0.hasPrefix("stallwatch: \(path)") }, "\(what), \(verb): \(run.errorText)")
      if run.exitCode > 1 { refusals += 1 }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content, "\(what)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["mutated.stallwatch"], "\(what)")
    return refusals
  }

  @Test func `cut short at any length it is refused`() throws {
    var chance = SeededChance(state: 11)
    let anywhere = (0..<8).map { _ in Int(chance.next() % UInt64(store.count)) }
    for length in [0, 1, 99, 100, 4_095, 4_096, store.count - 1] + anywhere {
      #expect(try refusals(of: store.prefix(length), "cut to \(length) bytes") == Self.verbs.count)
    }
  }

  @Test func `with bytes changed anywhere it is read or refused`() throws {
    var chance = SeededChance(state: 12)
    var refused = 0
    // Enough to see the verbs agree; `tools/fuzz/stores` breaks thousands, in CI as well.
    let copies = 15
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

  @Test func `with bytes changed anywhere it is merged whole or left out whole`() throws {
    var chance = SeededChance(state: 13)
    let (good, target) = (directory.file("good.stallwatch"), directory.file("all.stallwatch"))
    let path = directory.file("mutated.stallwatch")
    var leftOut = 0
    // As above.
    let copies = 20
    for copy in 0..<copies {
      var content = store
      for _ in 0..<(copy % 2 == 0 ? 1 : 12) {
        content[Int(chance.next() % UInt64(store.count))] ^= UInt8(truncatingIfNeeded: 1 + chance.next() % 255)
      }
      try content.write(to: URL(fileURLWithPath: path))
      try store.write(to: URL(fileURLWithPath: good))
      try? FileManager.default.removeItem(atPath: target)
      let run = try TestRun.run([Self.stallwatch, "merge", "-o", target, path, good])
      #expect([0, 2].contains(run.exitCode), "copy \(copy): \(run.errorText)")
      if run.exitCode == 2 {
        leftOut += 1
        #expect(run.errorText.hasPrefix("stallwatch: left out: \(path)"), "\(run.errorText)")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
      // Whatever was merged can be read.
      let report = try TestRun.run([Self.stallwatch, "report", "--format", "json", target])
      #expect(report.exitCode == 0, "copy \(copy): \(report.errorText)")
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(Set(names) == ["good.stallwatch", "all.stallwatch", "mutated.stallwatch"])
    }
    #expect((1..<copies).contains(leftOut))
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
