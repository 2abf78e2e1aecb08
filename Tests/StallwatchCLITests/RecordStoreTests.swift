import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// A store that cannot be used is reported before the program runs, and left as it was.
@Suite(.serialized) struct RecordStoreTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  private func recordInto(_ path: String) throws -> TestRun {
    try TestRun.run(
      [RecordBench.stallwatch, "record", "-o", path, "--", "touch", bench.files.file("ran")],
      environment: bench.environment, directory: bench.files.path)
  }

  private func expectRefusal(_ path: String, _ status: Int32) throws {
    let run = try recordInto(path)
    #expect(run.exitCode == status)
    #expect(run.errorText.hasPrefix("stallwatch: "))
    #expect(run.errorText.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: bench.files.file("ran")))
  }

  @Test func `a foreign file is refused and left alone`() throws {
    let path = try bench.files.write("my notes\n", to: "notes.txt")
    try expectRefusal(path, 2)
    #expect(bench.files.read("notes.txt") == "my notes\n")
  }

  @Test func `what a recording left that ended before anything was written is used again`() throws {
    let store = try bench.files.write("", to: "store.stallwatch")
    let program = try bench.swift("import Foundation\nRunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))")
    let run = try bench.record([program])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(try StoreReader(path: store).sessions().count == 1)
  }

  @Test func `a directory is refused`() throws { try expectRefusal(bench.files.path, 2) }

  @Test func `a symbolic link that leads nowhere is refused`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: bench.files.file("link"), withDestinationPath: bench.files.file("nowhere"))
    try expectRefusal(bench.files.file("link"), 2)
    #expect(!FileManager.default.fileExists(atPath: bench.files.file("nowhere")))
  }

  @Test func `a directory that is not there is refused`() throws { try expectRefusal("/nonexistent/store", 3) }

  @Test func `a program without a run loop leaves no store behind`() throws {
    let run = try recordInto(bench.files.file("new.stallwatch"))
    #expect(run.exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: bench.files.file("ran")))
    #expect(!FileManager.default.fileExists(atPath: bench.files.file("new.stallwatch")))
  }

  @Test func `a stallwatch that has lost its libraries says where they should be`() throws {
    let lonely = bench.files.file("stallwatch")
    try FileManager.default.copyItem(atPath: RecordBench.stallwatch, toPath: lonely)
    let run = try TestRun.run([lonely, "record", "--", "true"], directory: bench.files.path)
    #expect(run.exitCode == 3)
    #expect(run.errorText.contains("libStallwatchPreload.so"))
    #expect(run.errorText.contains("tools/install"))
  }
}
