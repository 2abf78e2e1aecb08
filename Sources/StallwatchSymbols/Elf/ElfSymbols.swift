import StallwatchCore

/// The functions of an ELF file by address.
///
/// A symbol names only the addresses within its size. An address behind the nearest symbol often belongs to another
/// function, which was stripped, or to a stub of the linker.
struct ElfSymbols {
  private var symbols: [Symbol] = []
  private let names: [UInt8]
  /// How many symbols before an address to check, because functions may overlap (an alias, a cold part within another).
  private static let overlaps = 64

  private struct Symbol {
    var address: UInt64
    var size: UInt64
    var name: UInt32
    var isLocal: Bool
  }

  /// The functions in the symbol table `table`, named in `strings`, for example `.symtab` and `.strtab`; nil for none.
  init?(sections: ElfSections, table: String, strings: String) {
    guard let entries = sections.bytes(of: table), let names = sections.bytes(of: strings) else { return nil }
    self.names = names
    let (function, indirectFunction, width): (UInt8, UInt8, Int) = (2, 10, 24)
    symbols.reserveCapacity(entries.count / width)
    var cursor = ByteCursor(entries)
    for _ in 0..<entries.count / width {
      let name = UInt32(truncatingIfNeeded: cursor.number(4))
      let info = cursor.byte()
      _ = cursor.byte()
      let section = cursor.number(2)
      let (address, size) = (cursor.number(8), cursor.number(8))
      guard info & 15 == function || info & 15 == indirectFunction, section != 0, size > 0 else { continue }
      symbols.append(Symbol(address: address, size: size, name: name, isLocal: info >> 4 == 0))
    }
    if symbols.isEmpty { return nil }
    symbols.sort { ($0.address, $0.size, $0.name) < ($1.address, $1.size, $1.name) }
  }

  /// The raw name of the function at `address`, counted from the image's own address 0; nil for none. Of several names
  /// for one function it picks the one a program would use: exported over local, few leading underscores, short.
  func name(at address: UInt64) -> String? {
    let end = symbols.partitioningIndex { $0.address > address }
    var best: (start: UInt64, rank: (Int, Int, Int), name: String)?
    for index in stride(from: end - 1, through: max(0, end - Self.overlaps), by: -1) {
      let symbol = symbols[index]
      if let best, best.start != symbol.address { break }
      guard address - symbol.address < symbol.size else { continue }
      let name = text(symbol.name)
      let rank = (symbol.isLocal ? 1 : 0, name.prefix { $0 == "_" }.count, name.utf8.count)
      if name.isEmpty || best.map({ $0.rank <= rank }) == true { continue }
      best = (symbol.address, rank, name)
    }
    return best?.name
  }

  /// A name without the version that the linker appends to some: `nanosleep@@GLIBC_2.17` becomes `nanosleep`.
  private func text(_ offset: UInt32) -> String {
    var cursor = ByteCursor(names, from: Int(offset))
    let name = cursor.text()
    guard let version = name.utf8.firstIndex(of: UInt8(ascii: "@")), version > name.startIndex else { return name }
    return String(name[..<version])
  }
}
