import Foundation
import TestPrograms

@testable import StallwatchSymbols

/// The fixtures, built once for all tests of this suite.
struct HookedPrograms: Sendable {
  /// Where all of it is.
  let directory: TestDirectory
  /// The preloaded library.
  let preload: String
  /// A library that stands in for the monitor.
  let monitor: String
  /// The libraries of the Swift runtime.
  let runtimeDirectory: String

  static let shared = Swift.Result { try HookedPrograms() }

  private init() throws {
    directory = try TestDirectory(shared: "hooks")
    preload = try Built.preload(into: directory.path)
    monitor = directory.file("libMonitor.so")
    runtimeDirectory = try Built.runtimeLibraries()
    try Built.c(
      [Self.fixture("listener.c")], to: monitor, flags: ["-shared", "-fPIC", "-I", "\(Self.hooks)/include"])
    try Built.swift([Self.fixture("loops.swift")], to: directory.file("loops"))
    try Built.swift([Self.fixture("crowd.swift")], to: directory.file("crowd"))
    let foundation = ["-L", runtimeDirectory, "-lFoundation", "-Wl,-rpath,\(runtimeDirectory)"]
    try Built.c([Self.fixture("fork.c")], to: directory.file("fork"), flags: foundation)
    try Built.c([Self.fixture("endings.c")], to: directory.file("endings"), flags: foundation)
    try Built.c([Self.fixture("late.c")], to: directory.file("late"))
    let lanes = directory.file("lanes.o")
    try Built.c([Self.fixture("lanes.c")], to: lanes, flags: ["-c", "-fPIC", "-I", "\(Self.hooks)/include"])
    try Built.swift([Self.fixture("lanes.swift"), lanes], to: directory.file("lanes"))
    try buildLinked()
  }

  /// The loops program with the hooks and the listener linked in, as SwiftPM links a C target: object by object.
  private func buildLinked() throws {
    let sources = try FileManager.default.contentsOfDirectory(atPath: Self.hooks).filter { $0.hasSuffix(".c") }
    var objects: [String] = []
    for source in sources.map({ "\(Self.hooks)/\($0)" }) + [Self.fixture("listener.c")] {
      let object = directory.file("\(objects.count).o")
      try Built.c(
        [source], to: object, flags: ["-c", "-fPIC", "-O1", "-DLINKED", "-I", "\(Self.hooks)/include"])
      objects.append(object)
    }
    try Built.swift([Self.fixture("loops.swift")] + objects, to: directory.file("loops-linked"))
  }

  static let hooks = "\(Built.package)/Sources/StallwatchHooks"

  private static func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
  }

  /// The runtime that programs built here load, as `record` would name it.
  func runtime() -> String {
    ["libswiftCore.so", "libFoundation.so"].map { name in
      "\(name)=\(ElfImage(path: "\(runtimeDirectory)/\(name)")?.buildID ?? "none")"
    }.joined(separator: ",")
  }

  /// What the hooks did to a program.
  struct Result {
    /// The program's own run.
    var run: TestRun
    /// The calls that the listener got.
    var heard: [String]
    /// What the hooks left word of.
    var notes: [[String]]
  }

  /// Runs a fixture with the hooks preloaded; `changes` alter the environment that `record` would give.
  func run(_ name: String, _ arguments: [String] = [], _ changes: [String: String] = [:]) throws -> Result {
    let files = try TestDirectory()
    try files.write("", to: "notes")
    let environment = [
      "LD_PRELOAD": preload, "STALLWATCH_INJECT": monitor, "STALLWATCH_RUNTIME": runtime(),
      "STALLWATCH_NOTES": files.file("notes"), "HOOKS_LOG": files.file("log"),
    ]
    let run = try TestRun.run(
      [directory.file(name)] + arguments, environment: environment.merging(changes) { $1 })
    return Result(
      run: run,
      heard: files.read("log").split(separator: "\n").map(String.init),
      notes: files.read("notes").split(separator: "\n").map { $0.split(separator: "\t").map(String.init) })
  }
}
