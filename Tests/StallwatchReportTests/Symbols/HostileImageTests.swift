import Foundation
import StallwatchCore
import TestPrograms
import Testing

@testable import StallwatchSymbols

/// Whatever a store or a file says, there is an answer: names where they are certain, addresses elsewhere.
@Suite(.serialized) struct HostileImageTests {
  private func image(_ path: String, buildID: String? = "aabbcc", _ range: Range<UInt64>, base: UInt64? = nil)
    -> ImageRecord
  {
    ImageRecord(
      path: path, buildID: buildID, base: base ?? range.lowerBound, start: range.lowerBound, end: range.upperBound)
  }

  @Test func strangeImagesGiveAddresses() throws {
    let directory = try TestDirectory()
    #expect(mkfifo(directory.file("pipe"), 0o600) == 0)
    var backwards = image("/bin/backwards", 0..<1)
    (backwards.start, backwards.end) = (0x9000, 0x8000)
    let images = [
      image(directory.file("pipe"), 0x1000..<0x2000), image(directory.path, 0x2000..<0x3000),
      image("/dev/zero", 0x3000..<0x4000), image("relative/path", 0x4000..<0x5000), image("", 0x5000..<0x6000),
      image("/bin/sh", buildID: "../../../etc/passwd", 0x6000..<0x7000), image("[vdso]", buildID: nil, 0x7000..<0x8000),
      image("/bin/all", 0xFFFF_FFFF_0000_0000..<UInt64.max, base: 5), backwards,
      image("/bin/sh", buildID: "", 0xA000..<0xB000),
    ]
    let symbolicator = Symbolicator(images: images, search: SymbolSearch(folders: ["/nowhere", directory.path]))
    // Not 0 and 1: they mark missing frames.
    let addresses: [UInt64] = [
      2, 0x1001, 0x2001, 0x3001, 0x4001, 0x5001, 0x6001, 0x7001, 0x8001, 0x9001, 0xA001, .max, .max - 1, 1 << 63,
    ]
    let frames = symbolicator.frames(addresses) + addresses.flatMap { symbolicator.frames([$0]) }
    #expect(frames.count == 2 * addresses.count)
    #expect(frames.allSatisfy { $0.name == nil && !$0.label.isEmpty })
  }

  @Test func anAddressThatTwoImagesHeldOneAfterTheOtherHasNoName() {
    let first = image("/lib/one.so", 0x1000..<0x3000)
    let second = image("/lib/two.so", 0x2000..<0x4000)
    let table = ImageTable([first, second, first])
    #expect(table[0x1800] == first)
    #expect(table[0x2800] == nil)
    #expect(table[0x3800] == second)
    #expect(table[0x4000] == nil)
    #expect(table[0xFFF] == nil)
    let wide = image("/lib/wide.so", 0x100..<0x9000)
    #expect(ImageTable([wide, image("/lib/small.so", 0x200..<0x300)])[0x8000] == wide)
  }

  @Test func damagedFilesEndInAddressesNotInACrash() throws {
    let directory = try TestDirectory()
    let program = try FixtureProgram(FixtureProgram.functions(), path: directory.file("loader"), in: directory)
    let whole = try Data(contentsOf: URL(fileURLWithPath: program.path))
    let base = try program.image.base
    let places = try program.stack("inlined").addresses.filter { $0 > base }.map { $0 - base }
    let path = directory.file("damaged")
    func look(_ data: Data) throws {
      try data.write(to: URL(fileURLWithPath: path))
      guard let file = SymbolFile(path: path) else { return }
      for place in places { _ = file.calls(at: place) }
    }
    for cut in stride(from: 0, to: whole.count, by: whole.count / 40) { try look(whole.prefix(cut)) }
    var generator = SeededGenerator(seed: 3)
    let debug = try #require(whole.range(of: Data(".debug_info".utf8)))
    for round in 0..<60 {
      var data = whole
      // Half of the damage goes to the tables at the end of the file, which say where everything is.
      let from = round % 2 == 0 ? debug.lowerBound - whole.count / 3 : 0
      for _ in 0..<40 {
        data[Int.random(in: max(0, from)..<data.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      try look(data)
    }
  }

  @Test func aFileThatIsNoProgramHasNoSymbols() throws {
    let directory = try TestDirectory()
    for text in ["", "\u{7F}ELF", "#!/bin/sh\n", String(repeating: "\u{7F}ELF\u{2}\u{1}", count: 100)] {
      let path = try directory.write(text, to: "file")
      #expect(SymbolFile(path: path)?.calls(at: 0x1000).isEmpty ?? true)
    }
  }

  /// A small generator with a seed (xorshift), so that a failure can be seen again.
  private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
