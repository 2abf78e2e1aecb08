import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchReport

@Suite(.serialized) struct SymbolicationTests {
  private func text(_ frame: Frame) -> String {
    "\(frame.name ?? "")|\(frame.isInlined)|\(frame.location?.path ?? "")|\(frame.location?.line ?? 0)"
  }

  @Test(arguments: [["-g", "-O"], ["-g", "-Onone"]])
  func framesAreThoseThatTheRuntimeFinds(flags: [String]) throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(path: directory.file("loader"), in: directory, flags: flags)
    let symbolicator = Symbolicator(images: program.images, search: SymbolSearch())
    for stack in program.stacks {
      // A capture holds return addresses alone.
      let frames = symbolicator.frames([0] + stack.addresses).dropFirst()
      print(stack.name); for f in frames { print("   ", text(f), f.isSystem, f.isThunk, f.imageName ?? "") } ; for e in stack.expected { print("  =", e) }
    }
  }
}
