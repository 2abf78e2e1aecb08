import Foundation
import TestPrograms
import Testing

/// Whatever is wrong with what a verb is given, it says so in one line, with the documented exit code, and leaves the
/// file as it was.
@Suite(.serialized) struct BadInputTests {
  private static let stallwatch = Built.product("stallwatch")

  /// What is wrong with a file, how to make one, and what the line says of it.
  private static let badFiles: [(what: String, says: String, make: @Sendable (Data) -> Data)] = [
    ("foreign text", "is not a Stallwatch store", { _ in Data("hello, world, this is no database\n".utf8) }),
    ("an empty file", "is empty: its recording ended before anything was written", { _ in Data() }),
    ("a store cut short", "is damaged", { $0.prefix($0.count / 2) }),
    ("a store cut within its header", "is damaged", { $0.prefix(50) }),
    (
      "a newer store", "was written by a newer Stallwatch",
      { store in
        // The header's user_version, big-endian.
        store.replacing(60..<64, with: [0, 0, 0x7F, 0xFF])
      }
    ),
    (
      "another program's database", "is not a Stallwatch store",
      { store in
        // The header's application_id.
        store.replacing(68..<72, with: [0, 0, 0, 0])
      }
    ),
    (
      "a store with a page overwritten", "is damaged",
      { store in store.replacing(4_096..<store.count, with: [UInt8](repeating: 0xA5, count: store.count - 4_096)) }
    ),
  ]

  @Test(arguments: ["report", "stalls", "timers", "top", "serve"], badFiles.indices)
  func aBadFileIsNamedInOneLine(verb: String, index: Int) throws {
    let bad = Self.badFiles[index]
    let sample = try SampleStore()
    let content = bad.make(try Data(contentsOf: URL(fileURLWithPath: sample.path)))
    try content.write(to: URL(fileURLWithPath: sample.path))
    let run = try TestRun.run([Self.stallwatch, verb, sample.path] + Self.unwaiting(verb))
    expectRefusal(run, code: 2, says: bad.says, names: sample.path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sample.directory.path) == ["sample.stallwatch"])
  }

  @Test(arguments: ["report", "stalls", "timers", "top", "serve"])
  func aMissingFileAndADirectoryAreNamed(verb: String) throws {
    let directory = try TestDirectory()
    let missing = directory.file("none.stallwatch")
    let run = try TestRun.run([Self.stallwatch, verb, missing] + Self.unwaiting(verb))
    expectRefusal(run, code: 2, says: "no such file", names: missing)
    expectRefusal(
      try TestRun.run([Self.stallwatch, verb, directory.path]), code: 2, says: "directory", names: directory.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test(arguments: [
    ["bogus"], ["report"], ["report", "a", "b"], ["report", "a", "--format", "pdf"],
    ["report", "a", "--frame-budget", "5"],
    ["report", "a", "--frame-budget", "0ms"], ["stalls", "a", "--format", "markdown"], ["timers"],
    ["timers", "a", "--format", "markdown"], ["doctor", "a", "b"],
    ["report", "a", "--colour"], ["show", "a"], ["show", "a", "first"], ["export", "a"],
    ["export", "a", "--format", "pdf"], ["diff", "a"], ["diff", "a", "b", "--confidence", "1"], ["check", "a"],
    ["check", "a", "--budget", "b", "--format", "xml"], ["merge", "a"], ["merge", "-o", "a"], ["top"], ["serve"],
    ["serve", "a", "--port", "70000"],
  ])
  func badUseIsOneLine(arguments: [String]) throws {
    let command = arguments[0] == "bogus" ? "stallwatch" : "stallwatch \(arguments[0])"
    expectRefusal(
      try TestRun.run([Self.stallwatch] + arguments), code: 2, says: "(see '\(command) --help')", names: "stallwatch:")
  }

  @Test(arguments: [
    (["reprot", "a"], "Unknown verb 'reprot'. Did you mean 'report'? (see 'stallwatch --help')"),
    (["tpo"], "Unknown verb 'tpo'. Did you mean 'top'? (see 'stallwatch --help')"),
    (["bogus"], "Unknown verb 'bogus'. (see 'stallwatch --help')"),
    (["report", "a", "--formt", "text"], "Unknown option '--formt'. Did you mean '--format'?"),
    (["record", "--thresold", "50ms", "./App"], "Unknown option '--thresold'. Did you mean '--threshold'?"),
    (["record", "--treshold=50ms", "--", "./App"], "Unknown option '--treshold'. Did you mean '--threshold'?"),
    (["report", "a", "--frame-budget", "50"], "'50' is invalid for '--frame-budget <duration>': write 50ms"),
    (["record", "--threshold", "1.5", "./App"], "'1.5' is invalid for '--threshold <duration>': write 1.5ms"),
    (["record", "--drift-interval", "50", "./App"], "for '--drift-interval <duration|off>': write 50ms, or 'off'"),
    (["record", "--drift-interval", "never", "./App"], "write a number and a unit, like 250ms or 2s, or 'off'"),
    (["record", "--drift-interval", "2h", "./App"], "it must be a duration of 10ms to 1h, such as 100ms, or 'off'"),
    (["record", "--sample-every", "fast", "./App"], "write a number and a unit, like 250ms or 2s, or 'off'"),
  ])
  func `what is mistyped is answered with what was meant`(arguments: [String], answer: String) throws {
    expectRefusal(try TestRun.run([Self.stallwatch] + arguments), code: 2, says: answer, names: "stallwatch:")
  }

  /// The options that keep a live verb from waiting for its store.
  private static func unwaiting(_ verb: String) -> [String] {
    ["top", "serve"].contains(verb) ? ["--wait", "0s"] : []
  }

  @Test func aProgramThatIsNotThereIsBadInputForTheDoctor() throws {
    expectRefusal(
      try TestRun.run([Self.stallwatch, "doctor", "./no-such-program"]), code: 2, says: "no such program",
      names: "no-such-program")
  }

  private func expectRefusal(
    _ run: TestRun, code: Int32, says reason: String, names name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(run.exitCode == code, sourceLocation: sourceLocation)
    #expect(run.text == "", sourceLocation: sourceLocation)
    #expect(run.errorText.split(separator: "\n").count == 1, "\(run.errorText)", sourceLocation: sourceLocation)
    #expect(run.errorText.hasPrefix("stallwatch: "), sourceLocation: sourceLocation)
    #expect(run.errorText.contains(reason), "\(run.errorText)", sourceLocation: sourceLocation)
    #expect(run.errorText.contains(name), "\(run.errorText)", sourceLocation: sourceLocation)
  }
}

extension Data {
  /// The data with `range` overwritten.
  fileprivate func replacing(_ range: Range<Int>, with bytes: [UInt8]) -> Data {
    var copy = self
    copy.replaceSubrange(range, with: bytes)
    return copy
  }
}
