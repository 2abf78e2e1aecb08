#if os(Linux)
  /// The symbols that a mapped ELF image exports, by its own hash table (DT_GNU_HASH): the loader's own functions would take
  /// its lock, and know this process only.
  struct MappedSymbols {
    private let bias: UInt64
    private let symbols: UInt64
    private let names: UInt64
    private let hashes: UInt64

    private static let mostEntries = 128
    private static let symbolSize: UInt64 = 24
    /// The most symbols of one bucket; tables have one to four on average.
    private static let longestChain: UInt32 = 256

    /// The symbols of the image with these headers; nil where it has no such table.
    init?(_ headers: ElfImageHeaders) {
      self.init(dynamicSection: headers.dynamicSection, bias: headers.bias)
    }

    /// … of the image whose dynamic section is mapped there, 0 when it has none; `bias` is where its address 0 lies.
    init?(dynamicSection: UInt64, bias: UInt64) {
      var (symbols, names, hashes): (UInt64?, UInt64?, UInt64?)
      for entry in 0..<UInt64(Self.mostEntries) where dynamicSection != 0 {
        let place = dynamicSection &+ entry * 16
        guard let tag = SafeMemory.load(UInt64.self, at: place), tag != 0,
          let value = SafeMemory.load(UInt64.self, at: place &+ 8)
        else { break }
        // glibc has replaced the image's own addresses by those in memory; other C libraries leave them.
        let address = value < bias ? bias &+ value : value
        switch tag {
        case 5: names = address
        case 6: symbols = address
        case 0x6fff_fef5: hashes = address
        default: break
        }
      }
      guard let symbols, let names, let hashes else { return nil }
      (self.bias, self.symbols, self.names, self.hashes) = (bias, symbols, names, hashes)
    }

    /// The address of an exported symbol; nil where there is none with this name.
    func address(of name: String) -> UInt64? {
      let name = Array(name.utf8) + [0]
      let hash = name.dropLast().reduce(5381 as UInt32) { $0 &* 33 &+ UInt32($1) }
      guard let buckets = word(hashes), buckets > 0, let first = word(hashes &+ 4), let filter = word(hashes &+ 8),
        var index = word(hashes &+ 16 &+ UInt64(filter) * 8 &+ UInt64(hash % buckets) * 4), index >= first
      else { return nil }
      let chain = hashes &+ 16 &+ UInt64(filter) * 8 &+ UInt64(buckets) * 4
      for _ in 0..<Self.longestChain {
        guard let other = word(chain &+ UInt64(index - first) * 4) else { return nil }
        if other | 1 == hash | 1, let found = address(at: index, named: name) { return found }
        if other & 1 == 1 { return nil }
        index += 1
      }
      return nil
    }

    private func address(at index: UInt32, named name: [UInt8]) -> UInt64? {
      let symbol = symbols &+ UInt64(index) * Self.symbolSize
      guard let place = word(symbol), SafeMemory.holds(name, at: names &+ UInt64(place)),
        let value = SafeMemory.load(UInt64.self, at: symbol &+ 8), value != 0
      else { return nil }
      return bias &+ value
    }

    private func word(_ address: UInt64) -> UInt32? { SafeMemory.load(UInt32.self, at: address) }
  }
#endif
