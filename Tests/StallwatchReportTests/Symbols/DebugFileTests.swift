import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchSymbols

/// Debug information that is packed, or lies in a file of its own.
@Suite(.serialized) struct DebugFileTests {
  private let directory: TestDirectory
  private let program: FixtureProgram

  init() throws {
    directory = try TestDirectory()
    program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
  }

  private func frames(_ folders: [String] = []) throws -> [Frame] {
    try program.frames("inlined", search: SymbolSearch(folders: folders)).filter { $0.image == program.path }
  }

  private func objcopy(_ arguments: [String]) throws {
    let run = try TestRun.run(["/usr/bin/env", "llvm-objcopy"] + arguments)
    try #require(run.exitCode == 0, "\(run.errorText)")
  }

  /// The program without its debug information, with a link to the file that has it, and its frames before that.
  private func split(into file: String) throws -> [Frame] {
    let whole = try frames()
    try #require(whole.contains { $0.location != nil } && whole.contains(where: \.isInlined))
    let made = directory.file("made/\(URL(fileURLWithPath: file).lastPathComponent)")
    for folder in ["made", (file as NSString).deletingLastPathComponent] {
      try FileManager.default.createDirectory(atPath: directory.file(folder), withIntermediateDirectories: true)
    }
    try objcopy(["--only-keep-debug", program.path, made])
    try objcopy(["--strip-all", "--add-gnu-debuglink=\(made)", program.path])
    try FileManager.default.moveItem(atPath: made, toPath: directory.file(file))
    return whole
  }

  @Test func packedSectionsTellTheSame() throws {
    let whole = try frames()
    let plain = try Data(contentsOf: URL(fileURLWithPath: program.path))
    try objcopy(["--compress-debug-sections=zlib", program.path])
    #expect(try Data(contentsOf: URL(fileURLWithPath: program.path)).count < plain.count)
    #expect(try frames() == whole)
    #expect(SymbolFile(path: program.path)?.wealth == .lines)
  }

  /// Changes each packed section of the program by `change`, which gets the bytes and the places of the section's kind
  /// and of its stream.
  private func changePacked(_ change: (inout Data, _ kind: Int, _ stream: Int) -> Void) throws {
    try objcopy(["--compress-debug-sections=zlib", program.path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: program.path))
    // A packed section begins with its kind in four bytes, 1 for zlib and 2 for zstd; its alignment of 1 stands 16
    // bytes behind, before zlib's own first byte.
    let alignment = Data([1, 0, 0, 0, 0, 0, 0, 0, 0x78])
    var from = bytes.startIndex
    var changed = 0
    while let found = bytes.range(of: alignment, in: from..<bytes.endIndex) {
      from = found.upperBound
      let kind = found.lowerBound - 16
      guard kind >= 0, bytes[kind..<kind + 4] == Data([1, 0, 0, 0]) else { continue }
      change(&bytes, kind, found.upperBound - 1)
      changed += 1
    }
    try #require(changed > 2)
    try FileManager.default.removeItem(atPath: program.path)
    try bytes.write(to: URL(fileURLWithPath: program.path))
  }

  @Test func packedInAWayThatIsNotReadTheyTellNamesWithoutLines() throws {
    try changePacked { bytes, kind, _ in bytes[kind] = 2 }
    #expect(SymbolFile(path: program.path)?.wealth == .names)
    let frames = try frames()
    #expect(frames.contains { $0.name == "ImageStore.decode(_:)" })
    #expect(frames.allSatisfy { $0.location == nil })
  }

  /// Otherwise what the file does not say would stand for what a whole one says: nothing would be the program's own.
  @Test func damagedWhenPackedTheyTellNamesWithoutLines() throws {
    try changePacked { bytes, _, stream in bytes[stream + 4] ^= 0xFF }
    #expect(SymbolFile(path: program.path)?.wealth == .names)
    let frames = try frames()
    #expect(frames.contains { $0.name == "ImageStore.decode(_:)" && $0.isOwn })
    #expect(frames.allSatisfy { $0.location == nil })
  }

  @Test func aNameOfOwnCodeThatNothingHasIsKnown() throws {
    let search = SymbolSearch(own: OwnCode(named: ["libnothing.so", "loader"]))
    #expect(search.unmatchedOwnNames == [])
    _ = try program.frames("inlined", search: search)
    #expect(search.unmatchedOwnNames == ["libnothing.so"])
  }

  @Test(arguments: ["loader.debug", ".debug/loader.debug"])
  func aLinkLeadsToTheFileBesideTheProgramAndBelowIt(_ place: String) throws {
    let whole = try split(into: place)
    #expect(try frames() == whole)
    try FileManager.default.removeItem(atPath: directory.file(place))
    #expect(try frames().allSatisfy { $0.location == nil })
  }

  @Test func aLinkedFileOfAnotherBuildDoesNotCount() throws {
    let whole = try split(into: "loader.debug")
    let debugFile = directory.file("loader.debug")
    // Without a build-id the checksum tells it, and that is now another one.
    let copy = directory.file("without")
    try objcopy(["--remove-section=.note.gnu.build-id", debugFile, copy])
    try FileManager.default.removeItem(atPath: debugFile)
    try FileManager.default.moveItem(atPath: copy, toPath: debugFile)
    try #require(SymbolFile(path: debugFile)?.buildID == nil)
    #expect(try frames().allSatisfy { $0.location == nil })
    // Linked anew, it has it.
    try objcopy(["--remove-section=.gnu_debuglink", program.path])
    try objcopy(["--add-gnu-debuglink=\(debugFile)", program.path])
    #expect(try frames() == whole)
  }

  @Test func aLinkNamesAFileAndNoOtherFolder() {
    func section(_ name: String, padding: Int) -> [UInt8] {
      Array(name.utf8) + [UInt8](repeating: 0, count: padding) + [4, 3, 2, 1]
    }
    let link = DebugLink(section("app.debug", padding: 3))
    #expect(link?.name == "app.debug")
    #expect(link?.checksum == 0x0102_0304)
    #expect(
      link?.places(besides: "/opt/bin/app", root: nil) == [
        "/opt/bin/app.debug", "/opt/bin/.debug/app.debug", "/usr/lib/debug/opt/bin/app.debug",
      ])
    #expect(
      link?.places(besides: "/proc/7/root/opt/bin/app", root: "/proc/7/root") == [
        "/proc/7/root/opt/bin/app.debug", "/proc/7/root/opt/bin/.debug/app.debug",
        "/proc/7/root/usr/lib/debug/opt/bin/app.debug", "/usr/lib/debug/opt/bin/app.debug",
      ])
    for bad in [[], section("", padding: 4), section("../app", padding: 2), section("..", padding: 2), [97, 0, 0, 0]] {
      #expect(DebugLink(bad) == nil)
    }
    #expect(DebugLink(Array("app".utf8)) == nil)
  }
}
