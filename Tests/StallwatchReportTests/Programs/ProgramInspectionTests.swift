import Foundation
import StallwatchSymbols
import TestPrograms
import Testing

/// What a program's file says about whether it can be watched.
@Suite(.serialized) struct ProgramInspectionTests {
  private let files: TestDirectory
  private let libraries = LibrarySearch(libraryPath: nil)

  init() throws { files = try TestDirectory() }

  private func inspect(_ path: String) -> ProgramInspection { ProgramInspection(path: path, libraries: libraries) }

  private func swift(_ source: String, flags: [String] = []) throws -> String {
    let path = files.file("program")
    try Built.swift([files.write(source, to: "main.swift")], to: path, flags: flags)
    return path
  }

  @Test func `a program that imports Foundation can be watched`() throws {
    let inspection = inspect(try swift("import Foundation\nprint(Date())"))
    #expect(inspection.kind == .foundation)
    #expect(inspection.obstacle == nil)
    #expect(inspection.privilege == nil)
  }

  @Test func `a program whose library imports Foundation can be watched`() throws {
    try Built.c(
      [files.write("int main(void) { return 0; }", to: "main.c")], to: files.file("indirect"),
      flags: [
        "-Wl,--no-as-needed", "-L", Built.runtimeLibraries(), "-lFoundationXML",
        "-Wl,-rpath,\(Built.runtimeLibraries())",
      ])
    let image = try #require(ElfImage(path: files.file("indirect")))
    #expect(!image.libraries.contains("libFoundation.so"))
    #expect(inspect(files.file("indirect")).kind == .foundation)
  }

  @Test func `Swift without Foundation is recognised`() throws {
    let inspection = inspect(try swift("print(1)"))
    #expect(inspection.kind == .swiftWithoutFoundation)
    #expect(inspection.obstacle == nil)
  }

  @Test func `Swift with its runtime linked in is recognised`() throws {
    let inspection = inspect(try swift("print(1)", flags: ["-static-stdlib"]))
    #expect(inspection.kind == .staticSwift)
    #expect(inspection.obstacle == nil)
    #expect(inspection.limit?.contains("-static-stdlib") == true)
  }

  @Test func `a fully static program is recognised, with Swift and without`() throws {
    #expect(inspect(try swift("print(1)", flags: ["-static-executable"])).kind == .staticProgram)
    try Built.c(
      [files.write("int main(void) { return 0; }", to: "main.c")], to: files.file("static"), flags: ["-static"])
    #expect(inspect(files.file("static")).kind == .staticProgram)
    #expect(inspect(files.file("static")).obstacle != nil)
  }

  @Test func `a shell has no obstacle: what it starts is watched`() {
    let inspection = inspect("/bin/sh")
    #expect(inspection.kind == .withoutSwift)
    #expect(inspection.obstacle == nil)
  }

  @Test func `a script is a script, set-user-id or not`() throws {
    let path = try files.write("#!/bin/sh\ntrue\n", to: "script", mode: 0o4755)
    #expect(inspect(path).kind == .script)
    #expect(inspect(path).privilege == nil)
    #expect(inspect(path).obstacle == nil)
  }

  @Test func `another machine's program is refused the preload`() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh"))
    bytes[18] = 0xB7 ^ 0x3E ^ bytes[18]  // e_machine: swaps x86-64 and AArch64.
    try bytes.write(to: URL(fileURLWithPath: files.file("other")))
    #expect(inspect(files.file("other")).kind == .otherMachine)
    #expect(inspect(files.file("other")).refusesPreload)
  }

  @Test(.enabled(if: getuid() == 0, "only root can make another user's file"))
  func `a set-user-id program of another user is privileged, one's own is not`() throws {
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: files.file("true"))
    #expect(chmod(files.file("true"), 0o4755) == 0)
    #expect(inspect(files.file("true")).privilege == nil)
    #expect(chown(files.file("true"), 65534, 65534) == 0)
    #expect(chmod(files.file("true"), 0o4755) == 0)
    #expect(inspect(files.file("true")).privilege == .setUserID)
    #expect(inspect(files.file("true")).obstacle?.contains("(set-user-id)") == true)
  }

  @Test func `directories, pipes, texts and absent files are not inspected`() throws {
    #expect(mkfifo(files.file("pipe"), 0o600) == 0)
    for path in [
      files.path, files.file("pipe"), files.file("absent"), try files.write("text", to: "text"), "/dev/null",
    ] {
      #expect(inspect(path).kind == .notInspected, "\(path)")
    }
  }
}
