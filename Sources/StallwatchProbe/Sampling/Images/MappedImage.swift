#if os(Linux)
  import StallwatchCore

  /// An image, with the bytes that show whether it is still mapped.
  struct MappedImage {
    var record: ImageRecord
    /// What lies at `markAddress` while the image does: its build-id.
    private let mark: [UInt8]
    private let markAddress: UInt64
    /// The address of its dynamic section; 0 when it has none.
    private let dynamicSection: UInt64
    /// Whether it stays mapped for as long as this code runs.
    let isLasting: Bool

    init(_ mapping: MemoryMapping, header: UInt64, _ headers: ElfImageHeaders) {
      dynamicSection = headers.dynamicSection
      isLasting = LastingCode.addresses.contains { mapping.start <= $0 && $0 < mapping.end }
      record = ImageRecord(
        path: mapping.path, buildID: headers.buildIDText, base: headers.bias, start: mapping.start, end: mapping.end)
      if headers.buildID.isEmpty {
        // The ELF header also serves: it holds the sizes and places of the file's parts.
        markAddress = header
        mark = SafeMemory.bytes(at: header, count: ElfImageHeaders.headerSize)
      } else {
        markAddress = headers.buildIDAddress
        mark = headers.buildID
      }
    }

    /// Whether the memory still holds this image: another one there has another build-id.
    var isStillThere: Bool { isLasting || SafeMemory.holds(mark, at: markAddress) }

    /// The address of something that the image offers to others by a name; nil where it does not.
    func address(of name: String) -> UInt64? {
      MappedSymbols(dynamicSection: dynamicSection, bias: record.base)?.address(of: name)
    }
  }
#endif
