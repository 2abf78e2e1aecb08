#if os(Linux)
  import CStallwatch

  /// What the headers of a mapped ELF image say.
  struct ElfImageHeaders {
    /// The address that corresponds to the image's own address 0.
    var bias: UInt64
    /// The address of its .eh_frame_hdr; 0 when it has none.
    var unwindTables: UInt64 = 0
    /// The address of its dynamic section; 0 when it has none.
    var dynamicSection: UInt64 = 0
    /// The address and the bytes of its build-id; empty when it has none.
    var buildIDAddress: UInt64 = 0
    var buildID: [UInt8] = []

    /// The build-id in lower-case hexadecimal; nil when it has none.
    var buildIDText: String? {
      let digits = Array("0123456789abcdef".utf8)
      let text = String(decoding: buildID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
      return text.isEmpty ? nil : text
    }

    static let headerSize = 64
    private static let programHeaderSize = 56
    private static let mostProgramHeaders = 64
    /// In bytes. Linkers write 20 bytes of build-id, at most 32.
    private static let longestNotes = 4_096
    private enum SegmentKind: UInt32 {
      case load = 1
      case dynamic = 2
      case note = 4
      case ehFrameHeader = 0x6474_e550
    }

    /// Reads the headers of the 64-bit image whose first byte is mapped at `address`; nil when there is none.
    init?(at address: UInt64) {
      let header = SafeMemory.bytes(at: address, count: Self.headerSize)
      guard header.count == Self.headerSize, header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { return nil }
      let table = header.word(at: 32)
      let count = min(Int(header.half(at: 56)), Self.mostProgramHeaders)
      guard header.half(at: 54) == Self.programHeaderSize else { return nil }
      let segments = SafeMemory.bytes(at: address &+ table, count: count * Self.programHeaderSize)
      guard segments.count == count * Self.programHeaderSize else { return nil }

      var bias: UInt64?
      var notes: [(address: UInt64, size: Int)] = []
      var tables: UInt64 = 0
      var dynamic: UInt64 = 0
      for place in stride(from: 0, to: segments.count, by: Self.programHeaderSize) {
        let virtualAddress = segments.word(at: place + 16)
        switch SegmentKind(rawValue: segments.quarter(at: place)) {
        case .load where segments.word(at: place + 8) == 0: bias = address &- virtualAddress
        case .note: notes.append((virtualAddress, Int(clamping: segments.word(at: place + 40))))
        case .ehFrameHeader: tables = virtualAddress
        case .dynamic: dynamic = virtualAddress
        default: break
        }
      }
      guard let bias else { return nil }
      self.bias = bias
      if tables != 0 { unwindTables = bias &+ tables }
      if dynamic != 0 { dynamicSection = bias &+ dynamic }
      for note in notes where buildID.isEmpty {
        readBuildID(at: bias &+ note.address, size: min(note.size, Self.longestNotes))
      }
    }

    /// The headers of the program's own file; nil where they are not found. Linkers write the program headers right behind
    /// the header of the file.
    static var ofProgram: ElfImageHeaders? {
      let headers = stallwatch_program_headers()
      return headers < UInt64(headerSize) ? nil : ElfImageHeaders(at: headers - UInt64(headerSize))
    }

    /// Finds the GNU build-id among notes: name size, description size, kind, then both, padded to four bytes.
    private mutating func readBuildID(at address: UInt64, size: Int) {
      let notes = SafeMemory.bytes(at: address, count: size)
      var place = 0
      while place + 12 <= notes.count {
        let nameSize = Int(notes.quarter(at: place))
        let size = Int(notes.quarter(at: place + 4))
        let name = place + 12
        let description = name + (nameSize + 3) / 4 * 4
        guard description + size <= notes.count else { return }
        if notes.quarter(at: place + 8) == 3, notes[name..<name + nameSize].elementsEqual([0x47, 0x4e, 0x55, 0]) {
          buildIDAddress = address &+ UInt64(description)
          buildID = Array(notes[description..<description + size])
          return
        }
        place = description + (size + 3) / 4 * 4
      }
    }
  }

  extension [UInt8] {
    fileprivate func half(at place: Int) -> UInt16 { number(at: place) }
    fileprivate func quarter(at place: Int) -> UInt32 { number(at: place) }
    fileprivate func word(at place: Int) -> UInt64 { number(at: place) }

    private func number<Value: FixedWidthInteger & BitwiseCopyable>(at place: Int) -> Value {
      withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Value.self)) }
    }
  }
#endif
