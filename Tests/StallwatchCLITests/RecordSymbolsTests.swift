import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// From a recording to the function that held the loop, and what becomes of it when the program is built anew.
@Suite(.serialized) struct RecordSymbolsTests {
  private let directory: TestDirectory
  private let bench: RecordBench

  init() throws {
    directory = try TestDirectory()
    bench = try RecordBench()
  }

  /// Compiles the program; `extra` moves its lines.
  private func build(extra: String = "") throws {
    let source = try directory.write(
      """
      import Foundation
      \(extra)
      nonisolated(unsafe) var decoded = 0
      struct ImageStore {
        @inline(never) func decode() {
          usleep(150_000)
          decoded += 1
        }
      }

      @main struct App {
        static func main() {
          RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in ImageStore().decode() }, forMode: .default)
          while decoded == 0 { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2)) }
          guard CommandLine.arguments.count > 1 else { return }
          while access("hold", F_OK) == 0 { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02)) }
          kill(getpid(), SIGKILL)
        }
      }
      """, to: "App.swift")
    try Built.swift(
      [source], to: directory.file("app"), flags: ["-parse-as-library", "-g", "-O", "-Xcc", "-fno-omit-frame-pointer"])
  }

  private func answer(_ verb: [String], _ options: [String] = []) throws -> String {
    let run = try TestRun.run(
      [RecordBench.stallwatch, verb[0], bench.files.file("store.stallwatch")] + verb.dropFirst() + options)
    #expect(run.exitCode == 0, "\(run.errorText)")
    return run.text
  }

  @Test func `without samples a stall has no cause and the report says why`() throws {
    try build()
    let run = try bench.record([directory.file("app")], environment: ["STALLWATCH_SAMPLE_EVERY": "off"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let report = try answer(["report"])
    #expect(report.contains("Unknown: "), "\(report)")
    #expect(report.contains("without a sample"), "\(report)")
  }

  /// Calls `body` while the program's file is not where it was.
  private func withoutFiles(_ body: () throws -> Void) throws {
    try FileManager.default.moveItem(atPath: directory.file("app"), toPath: directory.file("hidden"))
    try body()
    try FileManager.default.moveItem(atPath: directory.file("hidden"), toPath: directory.file("app"))
  }

  @Test func `a recording is named for good when its program has ended`() throws {
    try build()
    #expect(try bench.record([directory.file("app")]).exitCode == 0)
    let report = try answer(["report", "--format", "json"])
    #expect(report.contains("ImageStore.decode()"), "\(report)")
    try withoutFiles {
      let (later, text) = (try answer(["report", "--format", "json"]), try answer(["report"]))
      #expect(later == report)
      #expect(text.hasPrefix("ImageStore.decode() at App.swift:6 sleeps: "), "\(text)")
    }
  }

  @Test func `a child that was killed is named, too`() throws {
    try build()
    // It lives until the store has its stall: how long that takes, a busy machine decides.
    let hold = try bench.files.write("", to: "hold")
    let run = try bench.record(["/bin/sh", "-c", "'\(directory.file("app"))' killed; exit 7"]) { _ in
      bench.wait("its stall is not in the store") { reader, _ in
        try reader.worstStalls(limit: 1).contains { $0.state == .ended }
      }
      try FileManager.default.removeItem(atPath: hold)
    }
    #expect(run.exitCode == 7, "\(run.errorText)")
    try withoutFiles {
      let report = try answer(["report"])
      #expect(report.hasPrefix("ImageStore.decode() at App.swift:6 sleeps: "), "\(report)")
    }
  }

  @Test func `without names a stall is named until the program is built anew, and again with the old build`() throws {
    try build()
    #expect(try bench.record([directory.file("app")], options: ["--no-names"]).exitCode == 0)
    // The first may be the machine's.
    let worst = try #require(try StoreReader(path: bench.files.file("store.stallwatch")).worstStalls(limit: 1).first)
    let number = "\(worst.id)"
    let shown = try answer(["show", number])
    #expect(shown.contains("ImageStore.decode()"), "\(shown)")
    #expect(shown.contains("App.swift:6"), "\(shown)")
    #expect(shown.contains("in a timer"), "\(shown)")
    #expect(shown.contains("mostly in clock_nanosleep"), "\(shown)")
    let report = try answer(["report"])
    #expect(report.hasPrefix("ImageStore.decode() at App.swift:6 sleeps: "), "\(report)")

    try FileManager.default.createDirectory(atPath: directory.file("old"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: directory.file("app"), toPath: directory.file("old/app"))
    try build(extra: "// a line more\nlet added = 1")
    for text in [try answer(["show", number]), try answer(["report"])] {
      #expect(text.split(separator: "binary changed since recording: ").count == 2, "\(text)")
      #expect(!text.contains("decode"), "\(text)")
      #expect(text.contains("app + 0x"), "\(text)")
    }
    let symbols = ["--symbols", directory.file("old")]
    for text in [try answer(["show", number], symbols), try answer(["report"], symbols)] {
      #expect(!text.contains("changed since recording"), "\(text)")
      #expect(text.contains("ImageStore.decode()"), "\(text)")
    }
  }
}
