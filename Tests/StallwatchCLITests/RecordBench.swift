import Foundation
import StallwatchStore
import TestPrograms
import Testing

/// Runs `stallwatch record` in a directory of its own.
struct RecordBench {
  /// Where it runs, and where its stores go.
  let files: TestDirectory
  /// The libraries of this build.
  let libraries: TestDirectory

  init() throws {
    files = try TestDirectory()
    libraries = try Self.prepared.get()
  }

  /// The command line itself.
  static let stallwatch = Built.product("stallwatch")

  private static let prepared = Result {
    let directory = try TestDirectory(shared: "libraries")
    try Built.preload(into: directory.path)
    return directory
  }

  /// The environment in which `record` finds the libraries of this build.
  var environment: [String: String] { ["STALLWATCH_LIBRARIES": libraries.path] }

  /// The options before `--` that keep the store out of the way.
  var options: [String] { ["record", "-o", files.file("store.stallwatch"), "--quiet"] }

  /// Runs `stallwatch record … -- COMMAND`.
  func record(
    _ command: [String], options more: [String] = [], environment added: [String: String] = [:], input: Data = Data(),
    whileRunning: (Int32) throws -> Void = { _ in }
  ) throws -> TestRun {
    try TestRun.run(
      [Self.stallwatch] + options + more + ["--"] + command, environment: environment.merging(added) { $1 },
      directory: files.path, input: input, whileRunning: whileRunning)
  }

  /// Waits until the store of a recording that is under way says so of its first session.
  func wait(_ failure: Comment, until isSo: (StoreReader, Int64) throws -> Bool) {
    let deadline = Date(timeIntervalSinceNow: 60)
    while Date() < deadline {
      if let reader = try? StoreReader(path: files.file("store.stallwatch")),
        let session = try? reader.sessions().first, (try? isSo(reader, session.id)) == true
      {
        return
      }
      usleep(10_000)
    }
    Issue.record(failure)
  }

  /// Runs a text in a shell, where `$record` is `stallwatch record … --`.
  func shell(_ script: String, input: Data = Data(), whileRunning: (Int32) throws -> Void = { _ in }) throws -> TestRun
  {
    var environment = environment
    environment["record"] = ([Self.stallwatch] + options + ["--"]).joined(separator: " ")
    return try TestRun.shell(
      script, environment: environment, directory: files.path, input: input, whileRunning: whileRunning)
  }

  /// Builds a Swift program and returns its path.
  func swift(_ source: String, name: String = "program", flags: [String] = []) throws -> String {
    try Built.swift([files.write(source, to: "\(name).swift")], to: files.file(name), flags: flags)
    return files.file(name)
  }
}
