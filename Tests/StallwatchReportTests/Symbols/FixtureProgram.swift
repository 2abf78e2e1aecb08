import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchSymbols

/// A small program that captures its own stacks and says what the Swift runtime makes of them.
struct FixtureProgram {
  /// A stack as the program captured it.
  struct Stack {
    /// What the program calls it.
    var name: String
    /// Return addresses, innermost first.
    var addresses: [UInt64]
    /// The runtime's own reading: name, whether inlined, path, line; `|` between them.
    var expected: [String]

    /// As ``StackSample/frames`` of a thread that stands at the first address.
    var sampled: [UInt64] { addresses }
  }

  /// The program's file.
  var path: String
  /// Its source.
  var source: String
  /// What it had mapped.
  var images: [ImageRecord] = []
  /// The stacks that it captured, in their order.
  var stacks: [Stack] = []

  /// What every fixture's source begins with: `report` writes the stack it was called on, `reportImages` the images.
  private static let prelude = """
    import Foundation
    import Runtime

    // Captured at the start: capturing a stack maps files again, and what is then captured has them at the wrong place.
    let images = ImageMap.capture()

    @inline(never) func report(_ name: String) {
      var stack = try! Backtrace.capture(limit: nil)
      stack.images = images
      print("stack\\t\\(name)")
      for frame in stack.frames {
        let address = UInt64(frame.originalProgramCounter)!
        if address > 0 { print("address\\t\\(String(address, radix: 16))") }
      }
      for frame in stack.symbolicated()!.frames {
        guard let symbol = frame.symbol else { continue }
        let place = symbol.sourceLocation
        print("frame\\t\\(symbol.name)|\\(frame.inlined)|\\(place?.path ?? "")|\\(place?.line ?? 0)")
      }
    }

    func reportImages() {
      for image in images {
        let id = (image.uniqueID ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let base = UInt64(image.baseAddress)!, end = UInt64(image.endOfText)!
        print("image\\t\\(String(base, radix: 16))\\t\\(String(end, radix: 16))\\t\\(id)\\t\\(image.path ?? "")")
      }
    }

    """

  /// Compiles `source` to `path` and runs it.
  init(
    _ source: String, path: String, in directory: TestDirectory, flags: [String] = ["-g", "-O"]
  ) throws {
    self.path = path
    self.source = Self.prelude + source
    let file = try directory.write(self.source, to: "Loader.swift")
    // As SwiftPM compiles: with frame pointers.
    let common = ["-parse-as-library", "-module-name", "Loader", "-Xcc", "-fno-omit-frame-pointer"]
    try Built.swift([file], to: path, flags: common + flags)
    let run = try TestRun.run([path])
    try #require(run.exitCode == 0, "\(run.errorText)")
    for line in run.lines { try read(line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)) }
  }

  private mutating func read(_ words: [String]) throws {
    switch words[0] {
    case "image":
      let base = try #require(UInt64(words[1], radix: 16))
      let end = try #require(UInt64(words[2], radix: 16))
      let buildID = words[3].isEmpty ? nil : words[3]
      images.append(ImageRecord(path: words[4], buildID: buildID, base: base, start: base, end: end))
    case "stack": stacks.append(Stack(name: words[1], addresses: [], expected: []))
    case "address": stacks[stacks.count - 1].addresses.append(try #require(UInt64(words[1], radix: 16)))
    case "frame": stacks[stacks.count - 1].expected.append(words[1])
    default: break
    }
  }

  /// The stack with that name.
  func stack(_ name: String) throws -> Stack { try #require(stacks.first { $0.name == name }) }

  /// The program's own image.
  var image: ImageRecord { get throws { try #require(images.first { $0.path == path }) } }

  /// The functions of a stack. The first address is a return address too: nothing stands at an address of 0.
  func frames(_ name: String, search: SymbolSearch = SymbolSearch()) throws -> [Frame] {
    let symbolicator = Symbolicator(images: images, search: search)
    return Array(symbolicator.frames([0] + (try stack(name).addresses)).dropFirst())
  }

  /// The line on which `text` stands in the source, from 1.
  func line(of text: String) throws -> Int {
    try #require(source.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(text) }) + 1
  }

  /// Functions of every sort: inlined, generic, closures, witnesses, an extension of a library's type. `marker` is a line
  /// that moves all others and changes the build-id.
  static func functions(marker: String = "") -> String {
    """
    \(marker)
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
        _ = images
        print(ImageStore(seed: CommandLine.arguments.count).decode(8))
        each([1]) { _ in report("closure") }
        each(["text"]) { text in each([text]) { _ in report("nested closure") } }
        print([1].map { number in report("map"); return number }.count)
        print(["a"].slowSearch { _ in report("extension"); return true })
        let store: any Store = DiskStore()
        store.load("x")
        reportImages()
      }
    }
    """
  }
}
