import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchSymbols

/// Files of some megabytes at most that would take gigabytes or hours if each of their words were followed. What is read of
/// them is a small multiple of their size.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CraftedImageTests {
  private typealias Image = CraftedImage

  /// Asks the image all that is asked of one, and gives what it says of `address`.
  private func ask(_ image: CraftedImage, at address: UInt64 = 0x1000) throws -> [Frame] {
    let directory = try TestDirectory()
    let path = directory.file("crafted")
    try image.write(to: path)
    _ = ProgramInspection(path: path, libraries: LibrarySearch(libraryPath: nil))
    #expect(SymbolFile(path: path)?.buildID == "01020304")
    let record = ImageRecord(path: path, buildID: "01020304", base: 0, start: 0, end: .max)
    return Symbolicator(images: [record], search: SymbolSearch()).frames([address])
  }

  private static let text: (UInt64, UInt64) = (0x03, 0x08)
  private static let (low, high): ((UInt64, UInt64), (UInt64, UInt64)) = ((0x11, 0x01), (0x12, 0x07))

  /// One honest unit, so that the tests see that these files are read at all.
  @Test func anHonestOneHasNames() throws {
    let shapes =
      Image.shape(1, tag: 0x11, hasChildren: true, [Self.low, Self.high])
      + Image.shape(2, tag: 0x2E, [Self.text, Self.low, Self.high])
    let entries =
      [1] + Image.number(0x1000, 8) + Image.number(0x100, 8) + [2] + Array("named\0".utf8) + Image.number(0x1000, 8)
      + Image.number(0x100, 8) + [0]
    let image = CraftedImage(sections: [(".debug_info", Image.unit(entries)), (".debug_abbrev", shapes + [0])])
    #expect(try ask(image).map(\.name) == ["named"])
  }

  @Test func codesOfShapesFarApart() throws {
    // Each of 3,000 units has a table of its own, whose only shape has a large code.
    let shape = Image.shape(1 << 20, tag: 0x11, []) + [0]
    let units = Image.many(3_000) { Image.unit(Image.leb(1 << 20), abbreviations: UInt64($0 * shape.count)) }
    let shapes = Image.many(3_000) { _ in shape }
    #expect(try ask(CraftedImage(sections: [(".debug_info", units), (".debug_abbrev", shapes)])).map(\.name) == [nil])
  }

  @Test func oneTableOfShapesForAllUnitsFromEverywhere() throws {
    let shapes = Image.many(60_000) { Image.shape(UInt64($0) + 1, tag: 0x11, [Self.low]) } + [0]
    let units = Image.many(20_000) { Image.unit([1], abbreviations: UInt64($0 * 7 % 1_000)) }
    #expect(try ask(CraftedImage(sections: [(".debug_info", units), (".debug_abbrev", shapes)])).map(\.name) == [nil])
  }

  @Test func attributesThatTakeNoBytes() throws {
    // Form 0x19: the value is 1, and nothing stands for it.
    let shapes =
      Image.shape(1, tag: 0x11, hasChildren: true, [Self.low, Self.high])
      + Image.shape(2, tag: 0x34, (0..<300_000).map { _ in (0x3C, 0x19) }) + [0]
    let entries = [1] + Image.number(0x1000, 8) + Image.number(0x100, 8) + [UInt8](repeating: 2, count: 300_000)
    let image = CraftedImage(sections: [(".debug_info", Image.unit(entries)), (".debug_abbrev", shapes)])
    #expect(try ask(image).map(\.name) == [nil])
  }

  @Test(arguments: [UInt64(0), 0x1000]) func oneListOfRangesForAllUnits(start: UInt64) throws {
    let list = Image.many(60_000) { _ in Image.number(start, 8) + Image.number(0x2000, 8) } + Image.number(0, 16)
    let units = Image.many(30_000) { _ in Image.unit([1] + Image.number(0, 4)) }
    let shapes = Image.shape(1, tag: 0x11, [(0x55, 0x17)]) + [0]
    let image = CraftedImage(
      sections: [(".debug_info", units), (".debug_abbrev", shapes), (".debug_ranges", list)])
    #expect(try ask(image).count == 1)
  }

  @Test func copiesWithinCopies() throws {
    // A list of ranges that all hold the address, told of by each of 20,000 copies of a function.
    let list = Image.many(20_000) { _ in Image.number(0x1000, 8) + Image.number(0x2000, 8) } + Image.number(0, 16)
    let shapes =
      Image.shape(1, tag: 0x11, hasChildren: true, [Self.low, Self.high])
      + Image.shape(2, tag: 0x1D, [(0x55, 0x17), (0x31, 0x13)]) + Image.shape(3, tag: 0x2E, [Self.text]) + [0]
    let root = [1] + Image.number(0x1000, 8) + Image.number(0x1000, 8)
    let copies = Image.many(20_000) { _ in [2] + Image.number(0, 4) + Image.number(UInt64(11 + root.count), 4) }
    let entries = root + [3] + Array("copied\0".utf8) + copies
    let image = CraftedImage(
      sections: [(".debug_info", Image.unit(entries)), (".debug_abbrev", shapes), (".debug_ranges", list)])
    #expect(try ask(image).count <= 1_025)
  }

  @Test func filesInALongFolder() throws {
    let folder = [UInt8](repeating: 0x66, count: 60_000) + [0]
    let files = Image.many(200_000) { _ in Array("a\0".utf8) + [1, 0, 0] }
    let program: [UInt8] = [0, 9, 2] + Image.number(0x1000, 8) + [1, 2] + Image.leb(0x1000) + [0, 1, 1]
    let afterLength = [1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1] + [1] + folder + [0] + files + [0]
    let content = Image.number(4, 2) + Image.number(UInt64(afterLength.count), 4) + afterLength + program
    let lines = Image.number(UInt64(content.count), 4) + content
    let shapes = Image.shape(1, tag: 0x11, [Self.low, Self.high, (0x10, 0x17)]) + [0]
    let entries = [1] + Image.number(0x1000, 8) + Image.number(0x100, 8) + Image.number(0, 4)
    let image = CraftedImage(
      sections: [(".debug_info", Image.unit(entries)), (".debug_abbrev", shapes), (".debug_line", lines)])
    #expect(try ask(image).map(\.name) == [nil])
  }

  @Test func namesOfSectionsThatDoNotEnd() throws {
    let image = CraftedImage(longName: ([UInt8](repeating: 0x6E, count: 4 << 20), 20_000))
    #expect(try ask(image).map(\.name) == [nil])
  }

  @Test func textsThatDoNotEnd() throws {
    // 64 functions at one place, each with a name of megabytes.
    let names = [UInt8](repeating: 0x6E, count: 4 << 20) + [0]
    let symbols = Image.many(64) {
      Image.number(1, 4) + [0x12, 0] + Image.number(1, 2) + Image.number(0x1000, 8) + Image.number(UInt64($0) + 1, 8)
    }
    #expect(try ask(CraftedImage(sections: [(".symtab", symbols), (".strtab", names)])).map(\.name) == [nil])
  }

  @Test func notesWithoutABuildID() throws {
    let note = Image.number(4, 4) + Image.number(0, 4) + Image.number(9, 4) + Array("XYZ\0".utf8)
    let notes = (0..<3_000).map { _ in (kind: UInt32(4), address: UInt64(0), bytes: note) }
    #expect(try ask(CraftedImage(segments: notes)).map(\.name) == [nil])
  }

  @Test func librariesInEveryFolder() throws {
    let strings = Image.many(20_000) { Array("l\($0)\0".utf8) }
    var entries: [UInt8] = []
    var place = 0
    for number in 0..<20_000 {
      entries += Image.number(number % 2 == 0 ? 1 : 29, 8) + Image.number(UInt64(place), 8)
      place += "l\(number)\0".utf8.count
    }
    entries +=
      Image.number(5, 8) + Image.number(0x1000, 8) + Image.number(10, 8) + Image.number(UInt64(strings.count), 8)
    let image = CraftedImage(segments: [
      (kind: 1, address: 0x1000, bytes: strings), (kind: 2, address: 0, bytes: entries),
      (kind: 3, address: 0, bytes: Array("/lib64/ld-linux-x86-64.so.2\0".utf8)),
    ])
    #expect(try ask(image).map(\.name) == [nil])
  }
}
