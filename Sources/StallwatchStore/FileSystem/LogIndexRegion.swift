#if os(Linux)
  import StallwatchLibc

  /// A piece of a log's index, twice: `current` as SQLite has it here, `known` as the file is known to have it. SQLite
  /// changes it only while it holds a lock; between locks the two are the same, and there is no second copy.
  final class LogIndexRegion {
    let current: UnsafeMutableRawPointer
    private(set) var known: UnsafeMutableRawPointer
    private let offset: Int
    private let size: Int
    /// The bytes compared at a time to find changes. The first holds all that connections other than the writer change.
    private static let block = 512
    /// How many blocks apart changed ones may lie to be written in one call: a page costs less than a call.
    private static let nearbyBlocks = 8
    /// Readers in other processes change only their own word, which lies beside other readers' words.
    private static let word = MemoryLayout<UInt32>.size
    /// Where others than the writer change words: how far the log was copied to the store, and the readers' marks.
    private static let othersWords = 96..<136
    /// The pieces of the first block that the writer alone changes, in the order in which changes are written: what
    /// follows the words of others, the header's second copy, and its first.
    private static let ownPieces = (frames: othersWords.upperBound..<block, second: 48..<96, first: 0..<48)
    /// The system gives back memory in pages. SQLite reads the header, in the first, without a lock, too.
    private static let page = 4_096

    init(offset: Int, size: Int) {
      (self.offset, self.size) = (offset, size)
      current = .allocate(byteCount: size, alignment: Self.page)
      memset(current, 0, size)
      known = current
    }

    deinit {
      forgetCopy()
      current.deallocate()
    }

    /// Makes the second copy, before SQLite changes the first.
    func makeCopy() {
      guard known == current else { return }
      known = .allocate(byteCount: size, alignment: 8)
      memcpy(known, current, size)
    }

    /// Frees the second copy, once all changes are written.
    func forgetCopy() {
      guard known != current else { return }
      known.deallocate()
      known = current
    }

    /// Gives the memory back beyond the header, which is zero from then on; between locks only. Does nothing where the
    /// system's pages are larger.
    func giveBack() {
      guard known == current, sysconf(Int32(_SC_PAGESIZE)) == Self.page else { return }
      let kept = offset == 0 ? Self.page : 0
      madvise(current + kept, size - kept, MADV_DONTNEED)
    }

    /// The outcome of reading a region.
    enum Reading {
      case whole
      /// The file ends before the region does.
      case cutShort
      case failed
    }

    /// Replaces the contents by the file's. Write the changes made here first. If the file does not have the whole
    /// region, changes nothing: half a region taken for the file's would be written over what others write there.
    func readAll(from file: OpenFile) -> Reading {
      makeCopy()
      let count = file.read(into: known, size, at: Int64(offset))
      guard count == size else {
        memcpy(known, current, size)
        return count == nil ? .failed : .cutShort
      }
      memcpy(current, known, size)
      return .whole
    }

    /// Whether the file's header, and the words that all connections change, are as they were when it was read last.
    func hasKnownHead(in file: OpenFile) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: Self.othersWords.upperBound, alignment: 8) { head in
        guard let start = head.baseAddress else { return false }
        return file.read(into: start, head.count, at: 0) == head.count && memcmp(start, known, head.count) == 0
      }
    }

    /// For who writes, and so alone changes the rest: takes over the words of others. `cutShort` also where the file
    /// has no longer what it is known to have, because somebody made it shorter and others longer again.
    func readOthersWords(from file: OpenFile) -> Reading {
      let found = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
      defer { found.deallocate() }
      let count = file.read(into: found, size, at: Int64(offset))
      guard count == size else { return count == nil ? .failed : .cutShort }
      let words = offset == 0 ? Self.othersWords : 0..<0
      memcpy(current + words.lowerBound, found + words.lowerBound, words.count)
      memcpy(known + words.lowerBound, found + words.lowerBound, words.count)
      return memcmp(known, found, size) == 0 ? .whole : .cutShort
    }

    /// Whether the pages of the log's first `frames` frames can be found in it, as far as it is the place for them: not
    /// where the file was made shorter and longer again, so that a part of it is zero.
    func holds(frames: Int) -> Bool {
      let header = offset == 0 ? Self.othersWords.upperBound : 0
      let room = (Self.slots - header) / Self.word
      let before = offset == 0 ? 0 : offset / size * Self.most - Self.othersWords.upperBound / Self.word
      let slots = current + Self.slots
      return (0..<max(min(frames - before, room), 0)).allSatisfy { place in
        let page = current.load(fromByteOffset: header + place * Self.word, as: UInt32.self)
        guard page != 0 else { return false }
        var slot = Int(page &* 383) % Self.slotCount
        // Full it is never: it has twice as many slots as there are frames.
        for _ in 0..<Self.slotCount {
          switch Int(slots.load(fromByteOffset: slot * 2, as: UInt16.self)) {
          case place + 1: return true
          case 0: return false
          default: slot = (slot + 1) % Self.slotCount
          }
        }
        return false
      }
    }

    /// The layout of a region (sqlite.org/walformat.html): the page of each of 4,096 frames (the first region has its
    /// header in the place of 34 of them), then 8,192 slots of two bytes, by which a page's frames are found.
    private static let most = 4_096
    private static let slots = most * word
    private static let slotCount = 8_192

    /// Writes all of it.
    func writeAll(to file: OpenFile) -> Bool {
      memcpy(known, current, size)
      return file.write(current, size, at: Int64(offset))
    }

    /// Writes the changes made here, the last first. If `writesAlone`, may write unchanged words along with them,
    /// except those that readers change. False with `errno` when that fails.
    func writeChanges(to file: OpenFile, writesAlone: Bool) -> Bool {
      guard writesAlone else { return writeWords(to: file) }
      guard offset == 0 else { return writeBlocks(from: 0, to: file) }
      guard writeBlocks(from: Self.block, to: file) else { return false }
      if !differs(inBlockAt: 0) { return true }
      // Readers trust the header, so what it describes is written first, also what others keep there.
      return writePiece(Self.ownPieces.frames, to: file) && writeWords(in: Self.othersWords, to: file)
        && writePiece(Self.ownPieces.second, to: file) && writePiece(Self.ownPieces.first, to: file)
    }

    /// Writes a piece from the first change to the last: a word less is not worth a call more.
    private func writePiece(_ piece: Range<Int>, to file: OpenFile) -> Bool {
      var (start, end) = (piece.lowerBound, piece.upperBound)
      while start < end, !differs(at: start) { start += Self.word }
      while start < end, !differs(at: end - Self.word) { end -= Self.word }
      return start == end || write(from: start, to: end, file)
    }

    /// Writes the changed blocks; blocks near each other go in one call.
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

    private func writeWords(to file: OpenFile) -> Bool {
      for block in stride(from: size - Self.block, through: 0, by: -Self.block) where differs(inBlockAt: block) {
        guard writeWords(in: block..<block + Self.block, to: file) else { return false }
      }
      return true
    }

    private func writeWords(in piece: Range<Int>, to file: OpenFile) -> Bool {
      var end = piece.upperBound
      while end > piece.lowerBound {
        var start = end
        while start > piece.lowerBound, differs(at: start - Self.word) { start -= Self.word }
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
