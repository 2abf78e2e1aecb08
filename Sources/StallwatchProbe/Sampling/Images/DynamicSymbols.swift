#if os(Linux)
  /// The names that a mapped ELF image offers to others, read from its memory by its table of hashes (DT_GNU_HASH).
  struct DynamicSymbols {
    private let names: UInt64
    private let symbols: UInt64
    private let hashes: UInt64
    private let bias: UInt64

    private static let entrySize = 16
    private static let mostEntries = 256
    private static let symbolSize: UInt64 = 24
    /// The most names that share a place in a table of hashes, of which a linker makes about one for each name.
    private static let mostInPlace: UInt64 = 256
    private enum Tag {
      static let end: UInt64 = 0
      static let names: UInt64 = 5
      static let symbols: UInt64 = 6
      static let hashes: UInt64 = 0x6fff_fef5
    }

    /// The names of an image whose dynamic section is mapped at `address`; `bias` is where its address 0 lies. Nil where the
    /// image offers none, or not by such a table.
    init?(dynamicSection address: UInt64, bias: UInt64) {
      var found: [UInt64: UInt64] = [:]
      for number in 0..<Self.mostEntries {
        let place = address &+ UInt64(number * Self.entrySize)
        guard let tag = SafeMemory.load(UInt64.self, at: place), tag != Tag.end,
          let value = SafeMemory.load(UInt64.self, at: place &+ 8)
        else { break }
        // Some loaders write where things lie into the section, others leave the image's own addresses there.
        found[tag] = value < bias ? value &+ bias : value
      }
      guard let names = found[Tag.names], let symbols = found[Tag.symbols], let hashes = found[Tag.hashes] else {
        return nil
      }
      (self.names, self.symbols, self.hashes, self.bias) = (names, symbols, hashes, bias)
    }

    /// The address of a name; nil where the image does not offer it.
    func address(of name: String) -> UInt64? {
      let name = Array(name.utf8) + [0]
      let hash = name.dropLast().reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
      guard let places = half(hashes), places > 0, let firstSymbol = half(hashes &+ 4),
        let filterWords = half(hashes &+ 8)
      else { return nil }
      let buckets = hashes &+ 16 &+ 8 * UInt64(filterWords)
      let chains = buckets &+ 4 * UInt64(places)
      guard let first = half(buckets &+ 4 * UInt64(hash % places)), first >= firstSymbol else { return nil }
      for number in UInt64(first)..<UInt64(first) + Self.mostInPlace {
        guard let other = half(chains &+ 4 * (number - UInt64(firstSymbol))) else { return nil }
        let symbol = symbols &+ number * Self.symbolSize
        // The last bit says that no further one is in this place.
        if other | 1 == hash | 1, let itsName = half(symbol), SafeMemory.holds(name, at: names &+ UInt64(itsName)) {
          return SafeMemory.load(UInt64.self, at: symbol &+ 8).map { bias &+ $0 }
        }
        if other & 1 == 1 { return nil }
      }
      return nil
    }

    private func half(_ address: UInt64) -> UInt32? { SafeMemory.load(UInt32.self, at: address) }
  }
#endif
