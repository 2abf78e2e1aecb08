import Foundation
import TestPrograms
import Testing

/// The preloaded hooks bring the monitor in once, or leave word why not.
@Suite(.serialized) struct InjectionTests {
  private let programs: HookedPrograms

  init() throws { programs = try HookedPrograms.shared.get() }

  @Test func `threads whose first runs come together bring the monitor in once, and all are seen`() throws {
    let result = try programs.run("crowd")
    #expect(result.run.exitCode == 0)
    // A thread that comes once the listener is there may be reported before the start is written down.
    #expect(result.heard.sorted() == Array(repeating: "run kCFRunLoopDefaultMode", count: 16) + ["start 0"])
  }

  @Test func `a child of fork is watched if nothing had begun, and else says so and leaves its parent's monitor alone`()
    throws
  {
    let result = try programs.run("fork")
    #expect(result.run.exitCode == 0)
    let run = "run kCFRunLoopDefaultMode"
    #expect(result.heard == ["start 0", run, run, "end", "start 0", run])
    #expect(result.notes.map { $0[0] } == ["begun", "watched", "begun", "watched", "fork"])
    #expect(Set(result.notes.map { $0[1] }).count == 3)
  }

  @Test(arguments: [("_exit", 3), ("_Exit", 4), ("quick_exit", 5)])
  func `an end without exit handlers is reported`(way: String, status: Int32) throws {
    let result = try programs.run("endings", [way])
    #expect(result.run.exitCode == status)
    #expect(result.heard.last == "end")
    #expect(result.heard.count == 3)
  }

  @Test func `a call of abort is reported, and kills`() throws {
    let result = try programs.run("endings", ["abort"])
    #expect(result.run.exitCode == 134)
    #expect(result.heard.last == "abort")
    #expect(result.heard.count == 3)
  }

  @Test(arguments: [("execl", 6, "one two\n"), ("execle", 7, "three\n")])
  func `a program that becomes another is reported, and its arguments arrive`(
    way: String, status: Int32, text: String
  ) throws {
    let result = try programs.run("endings", [way])
    #expect(result.run.exitCode == status)
    #expect(result.run.text == text)
    #expect(result.heard.last == "end")
  }

  @Test func `each way to become another program is reported, and may fail`() throws {
    let result = try programs.run("endings", ["fail"])
    #expect(result.run.text == "still here\n")
    #expect(result.run.exitCode == 0)
    #expect(result.heard.count { $0 == "end" } == 8)
  }

  @Test func `the end of a forked child and of one on the way to exec is not told to the parent's monitor`() throws {
    let result = try programs.run("endings", ["children"])
    #expect(result.run.exitCode == 0)
    #expect(!result.heard.contains("end"))
  }

  @Test func `another Swift runtime keeps the monitor out and leaves one note`() throws {
    let result = try programs.run("loops", [], ["STALLWATCH_RUNTIME": "libswiftCore.so=00,libFoundation.so=11"])
    #expect(result.run.exitCode == 0)
    #expect(result.heard == [])
    let note = try #require(result.notes.first)
    #expect(result.notes.count == 1)
    #expect(note[0] == "runtime")
    #expect(note[2] == programs.directory.file("loops"))
    #expect(note[3] == programs.runtime())
    #expect(result.run.errorText == "")
  }

  @Test
  func `a library of the runtime that is not loaded comes with the monitor, and is named absent beside another one`()
    throws
  {
    let absent = programs.runtime() + ",libNowhere.so=22"
    #expect(!(try programs.run("loops", [], ["STALLWATCH_RUNTIME": absent]).heard.isEmpty))
    let result = try programs.run("loops", [], ["STALLWATCH_RUNTIME": "libswiftCore.so=00,libNowhere.so=22"])
    #expect(result.heard == [])
    #expect(result.notes.first?[3].hasSuffix(",libNowhere.so=absent") == true)
  }

  @Test func `a monitor that cannot be loaded leaves a note, and the program runs on`() throws {
    let result = try programs.run("loops", [], ["STALLWATCH_INJECT": "/nonexistent/libMonitor.so"])
    #expect(result.run.exitCode == 0)
    #expect(result.notes.map { $0[0] } == ["load"])
    #expect(result.notes.first?[3].contains("/nonexistent/libMonitor.so") == true)
    #expect(result.run.errorText == "")
  }

  @Test func `a monitor that does not start leaves its reason in one line`() throws {
    let result = try programs.run("loops", [], ["HOOKS_REFUSE": "the disk\tis\nfull"])
    #expect(result.run.exitCode == 0)
    #expect(result.notes.dropFirst().map { [$0[0], $0[3]] } == [["start", "the disk?is?full"]])
  }

  @Test func `STALLWATCH_DISABLE keeps the monitor out without a word`() throws {
    let result = try programs.run("loops", [], ["STALLWATCH_DISABLE": "1"])
    #expect(result.heard == [])
    #expect(result.notes == [])
    #expect(result.run.exitCode == 0)
  }

  @Test func `a note is not written through a symbolic link`() throws {
    let files = try TestDirectory()
    try files.write("mine\n", to: "mine")
    try FileManager.default.createSymbolicLink(
      atPath: files.file("link"), withDestinationPath: files.file("mine"))
    let result = try programs.run(
      "loops", [], ["STALLWATCH_RUNTIME": "libswiftCore.so=00", "STALLWATCH_NOTES": files.file("link")])
    #expect(result.run.exitCode == 0)
    #expect(files.read("mine") == "mine\n")
  }
}
