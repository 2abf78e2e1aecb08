import Foundation
import StallwatchSymbols
import TestPrograms
import Testing

/// The ELF reader, against real files and damaged ones.
@Suite struct ElfImageTests {
  private let files: TestDirectory

  init() throws { files = try TestDirectory() }

  /// A small library with everything the reader looks at.
  private func library() throws -> String {
    try Built.c(
      [files.write("int one(void) { return 1; }", to: "one.c")], to: files.file("libone.so"),
      flags: [
        "-shared", "-fPIC", "-Wl,--build-id=0x0123456789abcdef", "-Wl,--enable-new-dtags",
        "-Wl,-rpath,$ORIGIN/lib:/opt/elsewhere", "-Wl,--no-as-needed", "-lm",
      ])
    return files.file("libone.so")
  }

  @Test func `libraries, search path and build-id are read`() throws {
    let image = try #require(ElfImage(path: try library()))
    #expect(image.libraries == ["libm.so.6", "libc.so.6"])
    #expect(image.runPath == ["$ORIGIN/lib", "/opt/elsewhere"])
    #expect(image.rPath == [])
    #expect(image.buildID == "0123456789abcdef")
    #expect(image.isDynamic)
    #expect(!image.hasSwiftSections)
    #expect(image.machine.bits == 64)
  }

  @Test func `ORIGIN leads to libraries beside the program`() throws {
    let library = try library()
    try Built.c(
      [files.write("int one(void); int main(void) { return one(); }", to: "main.c")], to: files.file("main"),
      flags: ["-L", files.path, "-lone", "-Wl,-rpath,$ORIGIN"])
    let image = try #require(ElfImage(path: files.file("main")))
    let closure = LibrarySearch(libraryPath: nil).closure(of: image, at: files.file("main"))
    #expect(closure.found["libone.so"] == library)
    #expect(closure.missing == [])
  }

  @Test func `a library that is nowhere is missing`() throws {
    let library = try library()
    try Built.c(
      [files.write("int one(void); int main(void) { return one(); }", to: "main.c")], to: files.file("main"),
      flags: ["-L", files.path, "-lone"])
    let image = try #require(ElfImage(path: files.file("main")))
    #expect(LibrarySearch(libraryPath: nil).closure(of: image, at: files.file("main")).missing == ["libone.so"])
    let found = LibrarySearch(libraryPath: files.path).closure(of: image, at: files.file("main")).found
    #expect(found["libone.so"] == library)
  }

  @Test func `a file cut off anywhere is nil or read, never a trap`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: try library()))
    let lengths = Array(0..<1_024) + stride(from: 1_024, to: whole.count, by: 61)
    for length in lengths {
      try whole.prefix(length).write(to: URL(fileURLWithPath: files.file("cut")))
      _ = ElfImage(path: files.file("cut"))
    }
    #expect(ElfImage(path: files.file("libone.so")) != nil)
    try whole.prefix(63).write(to: URL(fileURLWithPath: files.file("cut")))
    #expect(ElfImage(path: files.file("cut")) == nil)
  }

  @Test func `numbers that lie are nil or read, never a trap`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: try library()))
    let image = try #require(ElfImage(path: files.file("libone.so")))
    // Every aligned word of the headers and of the dynamic section's neighbourhood, with the values that overflow.
    for offset in stride(from: 16, to: 1_024, by: 4) {
      for value: UInt32 in [0, 1, 0x1000, 0x7FFF_FFFF, 0xFFFF_FFFF] {
        var damaged = whole
        for (index, byte) in withUnsafeBytes(of: value.littleEndian, Array.init).enumerated() {
          damaged[offset + index] = byte
        }
        try damaged.write(to: URL(fileURLWithPath: files.file("liar")))
        let read = ElfImage(path: files.file("liar"))
        #expect((read?.libraries.count ?? 0) <= image.libraries.count + 1)
      }
    }
  }
}
