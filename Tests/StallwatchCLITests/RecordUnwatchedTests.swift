import Foundation
import TestPrograms
import Testing

/// What cannot be watched runs all the same, and one line gives the reason and the way out.
@Suite(.serialized) struct RecordUnwatchedTests {
  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  /// Records `program`, which prints `ran`, and returns the one line on stderr.
  private func reason(_ command: [String], environment: [String: String] = [:]) throws -> String {
    let run = try bench.record(command, environment: environment)
    #expect(run.text == "ran\n")
    #expect(run.exitCode == 0)
    let lines = run.errorText.split(separator: "\n")
    #expect(lines.count == 1, "\(run.errorText)")
    #expect(run.errorText.hasPrefix("stallwatch: "))
    return run.errorText
  }

  @Test func `Swift with its runtime linked in`() throws {
    let program = try bench.swift("print(\"ran\")", flags: ["-static-stdlib"])
    #expect(try reason([program]).contains("-static-stdlib"))
  }

  @Test func `Swift without Foundation`() throws {
    #expect(
      try reason([try bench.swift("print(\"ran\")")]).contains(
        "saw no run loop, no event loop and no work on Dispatch's queues"))
  }

  @Test func `a script`() throws {
    let script = try bench.files.write("#!/bin/sh\necho ran\n", to: "script", mode: 0o755)
    #expect(try reason([script]).contains("in \(script), or in a program that it started"))
  }

  @Test func `a program that STALLWATCH_DISABLE keeps to itself`() throws {
    #expect(try reason(["echo", "ran"], environment: ["STALLWATCH_DISABLE": "1"]).contains("STALLWATCH_DISABLE"))
  }

  @Test(.enabled(if: getuid() == 0, "only root can make another user's file"))
  func `a set-user-id program of another user`() throws {
    let path = bench.files.file("echo")
    try FileManager.default.copyItem(atPath: "/bin/echo", toPath: path)
    #expect(chown(path, 65534, 65534) == 0)
    #expect(chmod(path, 0o4755) == 0)
    #expect(chmod(bench.files.path, 0o755) == 0)
    #expect(try reason([path, "ran"]).contains("set-user-id"))
  }

  @Test func `a program on another Swift runtime than the monitor's`() throws {
    // A monitor that was built with another runtime, which stands in for another toolchain's.
    let other = try TestDirectory()
    try other.write("int none;", to: "none.c")
    for name in ["libswiftCore.so", "libFoundation.so"] {
      try Built.c(
        [other.file("none.c")], to: other.file(name), flags: ["-shared", "-fPIC", "-Wl,--build-id=0xabad1dea"])
    }
    try Built.c(
      [other.file("none.c")], to: other.file("libStallwatchInject.so"),
      flags: ["-shared", "-fPIC", "-Wl,--no-as-needed", "-L", other.path, "-lswiftCore", "-Wl,-rpath,$ORIGIN"])
    try Built.preload(into: other.path)
    let program = try bench.swift(
      """
      import Foundation
      RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in }, forMode: .default)
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
      print("ran")
      """)
    let reason = try reason([program], environment: ["STALLWATCH_LIBRARIES": other.path])
    #expect(reason.contains("another Swift runtime"))
    #expect(reason.contains("same toolchain"))
  }
}
