import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchSymbols

@Suite(.serialized) struct SymbolicationTests {
  @Test(arguments: [["-g", "-O"], ["-g", "-Onone"]])
  func framesAreThoseThatTheRuntimeFinds(flags: [String]) throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(
      FixtureProgram.functions(), path: directory.file("loader"), in: directory, flags: flags)
    #expect(program.stacks.count == 6)
    for stack in program.stacks {
      let frames = try program.frames(stack.name)
      let own = frames.filter { $0.image == program.path }.map { "\($0.name ?? "")|\($0.isInlined)" }
      // The runtime misses some inlined functions, and takes a stub of the linker for the function before it: what it
      // finds must be there, in its order.
      var rest = own[...]
      for expected in stack.expected where expected.contains("Loader.swift") {
        let name = expected.split(separator: "|").prefix(2).joined(separator: "|")
        let place = try #require(rest.firstIndex(of: name), "\(name) in \(stack.name): \(own)")
        rest = rest[(place + 1)...]
      }
      for frame in frames where frame.image == program.path && !frame.isInlined && frame.location?.line != nil {
        let place = "\(frame.name ?? "")|false|\(frame.location?.path ?? "")|"
        // Where code has no line, the runtime says 0, and the line before it in the function stands here.
        let lines = ["\(frame.location?.line ?? 0)", "0"]
        #expect(lines.contains { stack.expected.contains(place + $0) }, "\(place) in \(stack.name)")
      }
    }
  }

  @Test func inlinedFunctionsHaveTheLinesOfTheirCalls() throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    let frames = try program.frames("inlined").prefix(4)
    #expect(
      frames.map(\.name) == [
        "report(_:)", "ImageStore.note(_:)", "ImageStore.rotate(_:)", "ImageStore.decode(_:)",
      ])
    #expect(frames.map(\.isInlined) == [false, true, true, false])
    let lines = try [
      "try! Backtrace.capture", "report(\"inlined\")", "if step == 3 { note(step) }", "sum &+= rotate(step)",
    ].map(program.line)
    #expect(frames.map { $0.location?.line } == lines)
    #expect(frames.allSatisfy { $0.location?.path == directory.file("Loader.swift") && !$0.isSystem })
  }

  @Test(arguments: [["-g", "-O"], ["-g", "-Onone"]])
  func codeWithoutALineHasTheNearestLineBeforeItInItsFunction(flags: [String]) throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(
      """
      struct Slow: Sequence, IteratorProtocol {
        var left = 2
        @inline(never) mutating func next() -> Int? {
          left -= 1
          if left == 0 { report("next") }
          return left < 0 ? nil : left
        }
      }

      @inline(never) @_optimize(none) func walk() -> Int {
        var sum = 1
        for number in Slow() { sum += number }
        return sum
      }

      @main struct Program {
        static func main() {
          _ = walk()
          reportImages()
        }
      }
      """, path: directory.file("loader"), in: directory, flags: flags)
    #expect(try program.stack("next").expected.contains { $0.hasPrefix("walk()|") && $0.hasSuffix("|0") })
    let walk = try #require(try program.frames("next").first { $0.name == "walk()" })
    #expect(walk.location?.line == (try program.line(of: "for number in Slow()")))
  }

  @Test func aClosureThatWasInlinedIntoALibrarysFunctionIsFound() throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    let frames = try program.frames("map").dropFirst()
    #expect(frames.first?.name == "closure #3 in static Program.main()")
    #expect(frames.first?.location?.line == (try program.line(of: "report(\"map\")")))
    let map = try #require(frames.first { $0.name?.contains("map") == true })
    #expect(map.isSystem, "the standard library's function, compiled into the program")
    #expect(map.module == "Swift")
  }

  @Test func whatAProgramAddsToALibrarysTypeIsItsOwn() throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    let search = try #require(try program.frames("extension").first { $0.name?.contains("slowSearch") == true })
    #expect(!search.isSystem)
    #expect(search.module == "Loader")
  }

  @Test func aReturnAddressIsLookedUpAtTheCallAndTheLeafWhereItStands() throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    let image = try program.image
    let file = try #require(SymbolFile(path: program.path))
    // The first address behind `decode`, where a call that never returns would leave its return address.
    var end = try program.stack("inlined").addresses[1] - image.base
    while file.calls(at: end).last?.rawName?.contains("decode") == true { end += 1 }
    let symbolicator = Symbolicator(images: program.images, search: SymbolSearch())
    #expect(symbolicator.frames([0, image.base + end]).last?.name == "ImageStore.decode(_:)")
    #expect(symbolicator.frames([image.base + end]).last?.name != "ImageStore.decode(_:)")
    #expect(symbolicator.frames([image.base + end - 1]).last?.name == "ImageStore.decode(_:)")
  }

  @Test(arguments: [true, false])
  func aLibrarysFunctionsHaveTheNamesThatItExportsWithoutVersions(stripped: Bool) throws {
    let directory = try TestDirectory()
    let source = try directory.write(
      """
      int inner(int n) { return n * 3; }
      __asm__(".symver inner, thing@@ONE");
      static __attribute__((noinline)) int hidden(int n) { return inner(n) + 1; }
      int outer(int n) { return hidden(n) * 5; }
      """, to: "library.c")
    let script = try directory.write("ONE { global: thing; outer; local: *; };\n", to: "versions")
    let library = directory.file("library.so")
    let flags = ["-O0", "-shared", "-fPIC", "-Wl,--build-id", "-Wl,--version-script=\(script)"]
    try Built.c([source], to: library, flags: flags + (stripped ? ["-s"] : []))
    let file = try #require(SymbolFile(path: library))
    #expect(file.wealth == (stripped ? .exports : .names))
    let names = Set((0..<0x8000).compactMap { file.calls(at: $0).last?.rawName })
    #expect(names.isSuperset(of: ["thing", "outer"]))
    #expect(names.contains("hidden") == !stripped, "what is not exported has no name, and gets no other's")
    #expect(!names.contains { $0.contains("@") })
  }
}
