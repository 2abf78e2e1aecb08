import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchReport

/// A small program that captures its own stacks and says what the Swift runtime makes of them.
struct FixtureProgram {
  /// A stack as the program captured it.
  struct Stack {
    /// What the program calls it.
    var name: String
    /// As ``StackSample/frames``.
    var addresses: [UInt64]
    /// The runtime's own reading: `name|inlined|path|line`.
    var expected: [String]
  }

  /// The program's file.
  var path: String
  /// What it had mapped.
  var images: [ImageRecord] = []
  /// The stacks that it captured.
  var stacks: [Stack] = []

  /// Compiles the program to `path` and runs it. `marker` is a line of source that changes its build-id and lines.
  init(path: String, in directory: TestDirectory, marker: String = "", flags: [String] = ["-g", "-O"]) throws {
    self.path = path
    let source = try directory.write(
      Self.source.replacing("/*marker*/", with: marker), to: "ImageLoader.swift")
    try Built.swift([source], to: path, flags: ["-parse-as-library", "-module-name", "Loader"] + flags)
    let run = try TestRun.run([path])
    try #require(run.exitCode == 0, "\(run.errorText)")
    for line in run.lines {
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      switch words[0] {
      case "image":
        let base = try #require(UInt64(words[1], radix: 16))
        images.append(
          ImageRecord(
            path: words[4], buildID: words[3].isEmpty ? nil : words[3], base: base, start: base,
            end: try #require(UInt64(words[2], radix: 16))))
      case "stack": stacks.append(Stack(name: words[1], addresses: [], expected: []))
      case "address": stacks[stacks.count - 1].addresses.append(try #require(UInt64(words[1], radix: 16)))
      case "frame": stacks[stacks.count - 1].expected.append(words[1])
      default: break
      }
    }
  }

  /// The stack with that name.
  func stack(_ name: String) throws -> Stack { try #require(stacks.first { $0.name == name }) }

  /// The program's own image.
  var image: ImageRecord { get throws { try #require(images.first { $0.path == path }) } }

  private static let source = """
    import Runtime

    @inline(never) func report(_ name: String) {
      var stack = try! Backtrace.capture(limit: nil)
      stack.images = ImageMap.capture()
      print("stack\\t\\(name)")
      for frame in stack.frames {
        print("address\\t\\(String(UInt64(frame.originalProgramCounter)!, radix: 16))")
      }
      for frame in stack.symbolicated()!.frames {
        let place = frame.symbol?.sourceLocation
        print("frame\\t\\(frame.symbol?.name ?? "")|\\(frame.inlined)|\\(place?.path ?? "")|\\(place?.line ?? 0)")
      }
    }
    /*marker*/
    struct ImageStore {
      var seed: Int

      @inline(never) func decode(_ count: Int) -> Int {
        var sum = 0
        for step in 0..<count { sum &+= rotate(step) }
        return sum
      }

      @inline(__always) func rotate(_ step: Int) -> Int {
        if step == 3 { note(step) }
        return step &* seed
      }

      @inline(__always) func note(_ step: Int) {
        report("inlined")
      }
    }

    @inline(never) func each<Element>(_ elements: [Element], _ body: (Element) -> Void) {
      for element in elements { body(element) }
    }

    extension Array {
      @inline(never) func slowSearch(_ isIt: (Element) -> Bool) -> Int {
        for (place, element) in self.enumerated() where isIt(element) { return place }
        return -1
      }
    }

    protocol Store { func load(_ name: String) }

    final class DiskStore: Store {
      @inline(never) func load(_ name: String) { report("witness") }
    }

    @main struct Program {
      static func main() {
        print(ImageStore(seed: CommandLine.arguments.count).decode(8))
        each([1]) { _ in report("closure") }
        each(["text"]) { text in each([text]) { _ in report("nested closure") } }
        print([1, 2].map { number in report("map \\(number)"); return number }.count)
        print(["a"].slowSearch { _ in report("extension"); return true })
        let store: any Store = DiskStore()
        store.load("x")
        for image in ImageMap.capture() {
          let id = (image.uniqueID ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          let base = UInt64(image.baseAddress)!, end = UInt64(image.endOfText)!
          print("image\\t\\(String(base, radix: 16))\\t\\(String(end, radix: 16))\\t\\(id)\\t\\(image.path ?? "")")
        }
      }
    }
    """
}
