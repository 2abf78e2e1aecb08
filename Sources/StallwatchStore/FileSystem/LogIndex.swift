#if os(Linux)
  import CSQLite
  import StallwatchLibc

  /// The index of a store's log: the `-shm` file (sqlite.org/walformat.html), kept as a copy in memory.
  ///
  /// SQLite's own file system maps that file; if anyone shortens it, SIGBUS kills every process that maps it. This type
  /// reads and writes words instead. It writes this connection's changes to the file whenever SQLite takes a lock,
  /// releases one, or asks for a memory barrier. It reads other connections' changes whenever SQLite has taken a lock of
  /// the index, or the store's file for itself alone, after which SQLite looks again at all that it had seen before.
  /// Belongs to one thread.
  final class LogIndex {
    private let file: OpenFile
    private let path: String
    private var locks: FileLock { FileLock(file: file) }
    private var regions: [LogIndexRegion] = []
    private var regionSize = 0
    /// Whether it holds the one lock under which the log may grow: no other connection changes the index then.
    private var isWriting = false
    /// Whether a change made here could not be written: no other connection sees it, so no more may build on it.
    private var isBroken = false
    /// Whether only the header is in memory: the rest is to be read again before SQLite uses it.
    private var isGivenBack = false
    /// Which of the eight locks this connection holds, by bits: without any, SQLite changes nothing.
    private var heldLocks: UInt32 = 0

    /// Where SQLite locks the file: eight locks, and one that every user of the file holds.
    private static let firstLock: Int64 = 120
    private static let usersLock: Int64 = 128
    private static let writeLock: Int32 = 0
    /// The size in bytes of the header's two copies. Where the two differ, SQLite does not use them.
    private static let headerSize = 96
    /// Where a header has the number of the log's frames.
    private static let framesWord = 16
    private static let pageSize = 4_096
    /// How often to read a region again that another process cuts off meanwhile.
    private static let mostAttempts = 100

    /// Opens the index beside the store, or makes it with the store's owner and mode. Empties it if no other uses it.
    init?(beside store: OpenFile, at storePath: String, status: inout Int32) {
      status = SQLiteError.indexOpen
      path = storePath + "-shm"
      guard let owner = store.status else { return nil }
      guard let file = OpenFile(path: path, flags: O_RDWR | O_CREAT, mode: owner.st_mode & 0o777) else {
        status = SQLITE_CANTOPEN
        return nil
      }
      self.file = file
      if geteuid() == 0 { _ = fchown(file.descriptor, owner.st_uid, owner.st_gid) }
      let locks = FileLock(file: file)
      switch locks.holder(at: Self.usersLock, count: 1) {
      case nil: return nil
      case .exclusive:
        status = SQLITE_BUSY
        return nil
      case .shared: break
      case .some(.none):
        status = locks.set(.exclusive, at: Self.usersLock, count: 1)
        guard status == SQLITE_OK else { return nil }
        // Shorter than a header, so that no connection takes the rest for one.
        guard file.isIntact, ftruncate(file.descriptor, 3) == 0 else {
          status = SQLiteError.indexOpen
          return nil
        }
      }
      status = locks.set(.shared, at: Self.usersLock, count: 1)
      guard status == SQLITE_OK else { return nil }
    }

    // MARK: What SQLite asks for

    /// Region `number`; nil where the file ends before it and must not grow.
    func region(_ number: Int, size: Int, extending: Bool, status: inout Int32) -> UnsafeMutableRawPointer? {
      status = SQLITE_OK
      regionSize = size
      var attempts = 0
      while regions.count <= number {
        guard let fileSize = file.status?.st_size else {
          status = SQLiteError.indexSize
          return nil
        }
        let end = (regions.count + 1) * size
        if fileSize < end {
          guard extending else { return nil }
          guard extend(from: Int(fileSize), to: end) else {
            status = SQLiteError.indexSize
            return nil
          }
        }
        let region = LogIndexRegion(offset: regions.count * size, size: size)
        switch region.readAll(from: file) {
        case .whole:
          regions.append(region)
          if !isSound { forgetHeader() }
          if heldLocks == 0 { region.forgetCopy() }
          continue
        // The file was shortened after its size was read.
        case .cutShort where attempts < Self.mostAttempts:
          attempts += 1
        case .cutShort, .failed:
          status = SQLiteError.indexMap
          return nil
        }
      }
      return regions[number].current
    }

    func lock(_ first: Int32, count: Int32, flags: Int32) -> Int32 {
      let start = Self.firstLock + Int64(first)
      let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
      if flags & SQLITE_SHM_UNLOCK != 0 {
        publish()
        if isWriting, isCutShort { restore() }
        if isExclusive, first == Self.writeLock { isWriting = false }
        heldLocks &= ~Self.bits(first, count)
        if heldLocks == 0, !isBroken { for region in regions { region.forgetCopy() } }
        return locks.set(.none, at: start, count: Int64(count)) == SQLITE_OK ? SQLITE_OK : SQLiteError.indexLock
      }
      guard !isBroken else { return SQLiteError.indexLock }
      let status = locks.set(isExclusive ? .exclusive : .shared, at: start, count: Int64(count))
      guard status == SQLITE_OK else { return status == SQLITE_BUSY ? status : SQLiteError.indexLock }
      heldLocks |= Self.bits(first, count)
      for region in regions { region.makeCopy() }
      publish()
      // A writer reads all of the file. A reader need not while its header is the same: then nobody has added to the log.
      if isExclusive || isGivenBack || hasNews { exchange() }
      if isExclusive, first == Self.writeLock {
        isWriting = true
        // Another process shortened the file, and what others wrote there is lost: SQLite rebuilds the index.
        if isCutShort { restore() }
      }
      return SQLITE_OK
    }

    /// Reads nothing from the file: SQLite reads one copy of the header, asks for a barrier, and reads the other. If
    /// they were of different moments, SQLite would take the write lock to see why, ahead of those that wait for it.
    func barrier() { publish() }

    /// Reads what other connections changed since the last lock.
    func refresh() { exchange() }

    /// Leaves the file. If `removing`, which SQLite sets when no other connection has the store open, removes it.
    func leave(removing: Bool) {
      publish()
      if removing, file.stands(at: path) { unlink(path) }
    }

    /// Gives back the memory of all but the header until the next lock.
    func giveBackMemory() {
      guard heldLocks == 0, !isBroken else { return }
      for region in regions { region.giveBack() }
      isGivenBack = true
    }

    /// The bits of `count` locks.
    private static func bits(_ first: Int32, _ count: Int32) -> UInt32 { ((1 << UInt32(count)) - 1) << UInt32(first) }

    // MARK: Memory and file

    private var isCutShort: Bool {
      guard let size = file.status?.st_size else { return false }
      return size < regions.count * regionSize
    }

    /// Whether other connections have written since the last reading, or the file was shortened.
    private var hasNews: Bool {
      guard let first = regions.first else { return false }
      return isCutShort || !first.hasKnownHead(in: file)
    }

    private func exchange() {
      publish()
      guard !isBroken else { return }
      isGivenBack = false
      if isCutShort { return makeGood() }
      for region in regions {
        switch isWriting ? region.readOthersWords(from: file) : region.readAll(from: file) {
        case .whole: continue
        // The file was shortened after its size was read.
        case .cutShort: return makeGood()
        case .failed:
          isBroken = true
          return
        }
      }
      if !isWriting, !isSound { forgetHeader() }
    }

    /// Whether what the header says is there can be found.
    private var isSound: Bool {
      guard let header = regions.first?.current, memcmp(header, header + Self.headerSize / 2, Self.headerSize / 2) == 0
      else { return true }
      let frames = Int(header.load(fromByteOffset: Self.framesWord, as: UInt32.self))
      return regions.allSatisfy { $0.holds(frames: frames) }
    }

    /// Repairs a shortened file. A writer has its whole contents here; other connections have SQLite rebuild the index.
    private func makeGood() {
      if isWriting { restore() } else { forgetHeader() }
    }

    /// Without a header SQLite builds the index anew from the log.
    private func forgetHeader() {
      guard let first = regions.first else { return }
      memset(first.current, 0, Self.headerSize)
      memset(first.known, 0, Self.headerSize)
    }

    /// Writes the last region first and the header, which says how much of the rest is valid, at the end.
    private func publish() {
      guard !isBroken else { return }
      for region in regions.reversed() where !region.writeChanges(to: file, writesAlone: isWriting) {
        isBroken = true
        return
      }
    }

    private func restore() {
      for region in regions.reversed() where !region.writeAll(to: file) {
        isBroken = true
        return
      }
    }

    /// Takes the room on the disk now: a file with holes would kill processes that map it when the disk is full.
    private func extend(from size: Int, to end: Int) -> Bool {
      var zero: UInt8 = 0
      for page in size / Self.pageSize..<end / Self.pageSize {
        guard file.write(&zero, 1, at: Int64((page + 1) * Self.pageSize - 1)) else { return false }
      }
      return true
    }
  }
#endif
