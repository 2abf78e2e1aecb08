#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A piece of the index of a log: as SQLite has it here, and as the file is known to have it.
  struct LogIndexRegion {
    let current: UnsafeMutableRawPointer
    let known: UnsafeMutableRawPointer
    private let offset: Int
    private let size: Int
    /// Enough to find what changed quickly.
    private static let block = 512
    /// Readers of other processes change their own word only, beside those of others.
    private static let word = MemoryLayout<UInt32>.size

    init(offset: Int, size: Int) {
      (self.offset, self.size) = (offset, size)
      current = .allocate(byteCount: size, alignment: 8)
      known = .allocate(byteCount: size, alignment: 8)
      memset(current, 0, size)
      memset(known, 0, size)
    }

    func free() {
      current.deallocate()
      known.deallocate()
    }

    /// What came of reading a region.
    enum Reading {
      case whole
      /// The file ends before the region does.
      case cutShort
      case failed
    }

    /// Takes over what the file has. What was changed here must be written before. Unless all of it is there, nothing changes
    /// here: half a region, taken for what the file is known to have, would be written over what others write there.
    func readAll(from file: OpenFile) -> Reading {
      let count = file.read(into: known, size, at: Int64(offset))
      guard count == size else {
        memcpy(known, current, size)
        return count == nil ? .failed : .cutShort
      }
      memcpy(current, known, size)
      return .whole
    }

    /// Writes all of it.
    func writeAll(to file: OpenFile) -> Bool {
      memcpy(known, current, size)
      return file.write(current, size, at: Int64(offset))
    }

    /// Writes the words that were changed here, the last ones first, and no others.
    func writeChanges(to file: OpenFile) -> Bool {
      for block in stride(from: size - Self.block, through: 0, by: -Self.block)
      where memcmp(current + block, known + block, Self.block) != 0 {
        guard writeWords(from: block, to: file) else { return false }
      }
      return true
    }

    private func writeWords(from block: Int, to file: OpenFile) -> Bool {
      var end = block + Self.block
      while end > block {
        var start = end
        while start > block, differs(at: start - Self.word) { start -= Self.word }
        if start < end {
          guard file.write(current + start, end - start, at: Int64(offset + start)) else { return false }
          memcpy(known + start, current + start, end - start)
        }
        end = start - Self.word
      }
      return true
    }

    private func differs(at place: Int) -> Bool {
      current.load(fromByteOffset: place, as: UInt32.self) != known.load(fromByteOffset: place, as: UInt32.self)
    }
  }
#endif
