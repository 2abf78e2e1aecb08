import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchReport
@testable import StallwatchSymbols

/// Names come from the build that was recorded, or there are none.
@Suite(.serialized) struct BuildIDTests {
  private let directory: TestDirectory
  private let program: FixtureProgram
  /// `ImageStore.decode`, and addresses in it and its callers.
  private let decode = "ImageStore.decode(_:)"

  init() throws {
    directory = try TestDirectory()
    program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
  }

  private func symbolicator(_ folders: [String] = []) -> Symbolicator {
    Symbolicator(images: program.images, search: SymbolSearch(folders: folders))
  }

  private func own(_ symbolicator: Symbolicator) throws -> [Frame] {
    symbolicator.frames([0] + (try program.stack("inlined").addresses)).filter { $0.image == program.path }
  }

  private func objcopy(_ arguments: [String]) throws {
    let run = try TestRun.run(["/usr/bin/env", "llvm-objcopy"] + arguments)
    try #require(run.exitCode == 0, "\(run.errorText)")
  }

  private func rebuild() throws {
    try FileManager.default.createDirectory(atPath: directory.file("new"), withIntermediateDirectories: true)
    let other = FixtureProgram.functions(marker: "// One line more,\n// and another.\nlet added = 1")
    let folder = try TestDirectory()
    _ = try FixtureProgram(other, path: folder.file("loader"), in: folder)
    try FileManager.default.removeItem(atPath: program.path)
    try FileManager.default.copyItem(atPath: folder.file("loader"), toPath: program.path)
  }

  @Test func aChangedBinaryGivesNoNames() throws {
    try rebuild()
    let symbolicator = symbolicator()
    let frames = try own(symbolicator)
    #expect(!frames.isEmpty)
    #expect(frames.allSatisfy { $0.name == nil && $0.location == nil })
    let base = try program.image.base
    let addresses = try program.stack("inlined").addresses
    #expect(frames[0].label == "loader + 0x\(String(addresses[0] - base, radix: 16))")
    #expect(try symbolicator.obstacles[program.image] == .changed)
    let note = SymbolNote(path: program.path, buildID: nil, obstacle: .changed)
    #expect(note.text.hasPrefix("binary changed since recording: "))
  }

  @Test func theOldBinaryInAFolderBringsTheNamesBack() throws {
    let old = directory.file("old/deep")
    try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: program.path, toPath: "\(old)/kept-binary")
    try rebuild()
    let symbolicator = symbolicator([try TestDirectory().path, directory.file("old")])
    let frames = try own(symbolicator)
    #expect(frames.contains { $0.name == decode && $0.location?.line != nil })
    #expect(symbolicator.obstacles[try program.image] == nil)
  }

  @Test func aStrippedBinaryGivesAddressesAndItsDebugFileNames() throws {
    let id = try #require(try program.image.buildID)
    let folder = "\(directory.file("symbols"))/.build-id/\(id.prefix(2))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try objcopy(["--only-keep-debug", program.path, "\(folder)/\(id.dropFirst(2)).debug"])
    try objcopy(["--strip-all", program.path])
    let without = symbolicator()
    #expect(try own(without).allSatisfy { $0.name == nil })
    #expect(try without.obstacles[program.image] == .stripped)
    let with = symbolicator([directory.file("symbols")])
    #expect(try own(with).contains { $0.name == decode && $0.location?.line != nil })
    #expect(try with.obstacles[program.image] == nil)
  }

  @Test func aMissingBinaryGivesAddresses() throws {
    try FileManager.default.removeItem(atPath: program.path)
    let symbolicator = symbolicator()
    #expect(try own(symbolicator).allSatisfy { $0.name == nil })
    #expect(try symbolicator.obstacles[program.image] == .missing)
  }

  @Test func anImageWithoutBuildIDGivesAddressesAlthoughTheFileIsThere() throws {
    var image = try program.image
    image.buildID = nil
    let symbolicator = Symbolicator(images: [image], search: SymbolSearch())
    #expect(try own(symbolicator).allSatisfy { $0.name == nil })
    #expect(symbolicator.obstacles[image] == .withoutBuildID)
  }
}
