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
    /// Enough to find what changed quickly. The first one has all that anybody but the writer changes.
    private static let block = 512
    /// Blocks that are written at once although those between them did not change: a page costs less than a call.
    private static let nearbyBlocks = 8
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

    /// Writes what was changed here, the last of it first. Who `writesAlone` may write words that did not change with it, but
    /// for those that readers change.
    func writeChanges(to file: OpenFile, writesAlone: Bool) -> Bool {
      let own = writesAlone ? (offset == 0 ? Self.block : 0) : size
      return writeBlocks(from: own, to: file) && writeWords(below: own, to: file)
    }

    /// Writes the blocks that were changed, those near each other at once.
    private func writeBlocks(from start: Int, to file: OpenFile) -> Bool {
      var last: Int?
      var first = size
      for block in stride(from: size - Self.block, through: start, by: -Self.block) where differs(inBlockAt: block) {
        if let end = last, first - block > Self.nearbyBlocks * Self.block {
          guard write(from: first, to: end, file) else { return false }
          last = nil
        }
        last = last ?? block + Self.block
        first = block
      }
      return last.map { write(from: first, to: $0, file) } ?? true
    }

    private func writeWords(below end: Int, to file: OpenFile) -> Bool {
      for block in stride(from: end - Self.block, through: 0, by: -Self.block) where differs(inBlockAt: block) {
        guard writeWords(from: block, to: file) else { return false }
      }
      return true
    }

    private func writeWords(from block: Int, to file: OpenFile) -> Bool {
      var end = block + Self.block
      while end > block {
        var start = end
        while start > block, differs(at: start - Self.word) { start -= Self.word }
        if start < end { guard write(from: start, to: end, file) else { return false } }
        end = start - Self.word
      }
      return true
    }

    private func write(from start: Int, to end: Int, _ file: OpenFile) -> Bool {
      guard file.write(current + start, end - start, at: Int64(offset + start)) else { return false }
      memcpy(known + start, current + start, end - start)
      return true
    }

    private func differs(inBlockAt place: Int) -> Bool { memcmp(current + place, known + place, Self.block) != 0 }

    private func differs(at place: Int) -> Bool {
      current.load(fromByteOffset: place, as: UInt32.self) != known.load(fromByteOffset: place, as: UInt32.self)
    }
  }
#endif
