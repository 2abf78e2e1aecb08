import Foundation
import TestPrograms
import Testing

@testable import StallwatchSymbols

/// The names that libFoundation calls are ours: a fact about the platform that everything else leans on.
@Suite(.serialized) struct InterpositionTests {
  private let programs: HookedPrograms

  init() throws { programs = try HookedPrograms.shared.get() }

  @Test func `every run and every added observer is reported when the hooks are preloaded`() throws {
    let result = try programs.run("loops")
    #expect(result.run.exitCode == 0)
    // The monitor comes in at the first run, which is reported too.
    #expect(result.heard == ["start 0"] + result.run.lines)
    #expect(result.run.errorText == "")
    #expect(result.notes.map { $0[0] } == ["begun", "watched"])
  }

  @Test func `items of a global queue come with the lane that the listener has set for the first, not an earlier one`()
    throws
  {
    let result = try programs.run("lanes", [], ["STALLWATCH_INJECT": ""])
    // A queue that may go, and another one come at its address, has none.
    #expect(result.run.lines == ["0", "7", "0", "0", "0", "9", "0", "0"], "\(result.run.errorText)")
    #expect(result.run.exitCode == 0)
  }

  @Test func `a library that its program loaded for itself alone reaches its own Dispatch`() throws {
    let files = try TestDirectory()
    let fixtures = "\(Built.package)/Tests/StallwatchHooksTests/Fixtures"
    let libraries = try Built.runtimeLibraries()
    try Built.c(
      ["\(fixtures)/plugin.c"], to: files.file("plugin.so"),
      flags: ["-shared", "-fPIC", "-L\(libraries)", "-ldispatch", "-Wl,-rpath,\(libraries)"])
    try Built.c(["\(fixtures)/host.c"], to: files.file("host"), flags: ["-ldl"])
    let run = try TestRun.run(
      [files.file("host"), files.file("plugin.so")], environment: ["LD_PRELOAD": programs.preload])
    #expect(run.text == "served\n", "\(run.errorText)")
    #expect(run.exitCode == 0)
  }

  @Test func `equal sources make an equal library, so that a report can name the frames of one that was built again`()
    throws
  {
    let again = try TestDirectory()
    let (first, second) = (programs.preload, try Built.preload(into: again.path))
    #expect(FileManager.default.contentsEqual(atPath: first, andPath: second))
  }

  @Test func `every run and every added observer is reported when the hooks are linked`() throws {
    let result = try programs.run("loops-linked", [], ["LD_PRELOAD": ""])
    #expect(result.run.exitCode == 0)
    #expect(result.heard == ["start 0"] + result.run.lines)
  }

  @Test func `linked hooks load no library, whatever the environment says`() throws {
    let result = try programs.run("loops-linked", [], ["LD_PRELOAD": "", "STALLWATCH_INJECT": "/nonexistent.so"])
    #expect(result.run.exitCode == 0)
    #expect(result.notes == [])
  }

  @Test func `linked and preloaded hooks both tell their listener`() throws {
    let result = try programs.run("loops-linked")
    let twice = result.run.lines.flatMap { [$0, $0] }
    #expect(result.heard.filter { !$0.hasPrefix("start") } == twice)
  }

  @Test func `a libFoundation that comes late and for its caller alone still runs`() throws {
    let arguments = ["\(programs.runtimeDirectory)/libFoundation.so"]
    let alone = try programs.run("late", arguments, ["LD_PRELOAD": ""])
    let result = try programs.run("late", arguments)
    #expect(result.run.exitCode == 0)
    #expect(result.run.text == alone.run.text)
    #expect(result.heard.map { $0.split(separator: " ")[0] } == ["start", "run"])
  }

  @Test func `the preloaded library needs the C library alone`() throws {
    let image = try #require(ElfImage(path: programs.preload))
    // The loader is part of the C library.
    #expect(Set(image.libraries).subtracting(["ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]) == ["libc.so.6"])
    #expect(image.runPath == [])
  }
}
