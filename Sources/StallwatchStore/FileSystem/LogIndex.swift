#if os(Linux)
  import CSQLite

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The index of a store's log: the `-shm` file (sqlite.org/walformat.html), kept as a copy in memory.
  ///
  /// SQLite's own file system maps that file, and whoever makes the file shorter kills with SIGBUS every process that has
  /// it mapped. Here its words are read and written instead. What this connection has changed goes to the file whenever
  /// SQLite takes a lock, lets one go, or asks for a memory barrier; what others have changed comes from it whenever SQLite
  /// has taken a lock, after which it looks again at all that it had seen before. Belongs to one thread.
  final class LogIndex {
    private let file: OpenFile
    private let path: String
    private var locks: FileLock { FileLock(file: file) }
    private var regions: [LogIndexRegion] = []
    private var regionSize = 0
    /// Holds the one lock under which the log may grow: nobody else changes the index then.
    private var isWriting = false
    /// What was changed here could not be written, so nobody would see it: nothing more may be built on it.
    private var isBroken = false

    /// Where SQLite locks the file: eight locks, and one that all hold who use the file.
    private static let firstLock: Int64 = 120
    private static let usersLock: Int64 = 128
    private static let writeLock: Int32 = 0
    /// The bytes of the two copies of the header, by whose difference SQLite knows that they are not to be used.
    private static let headerSize = 96
    private static let pageSize = 4_096
    /// How often a region is read again that somebody cuts off meanwhile.
    private static let mostAttempts = 100

    /// Opens the index beside the store, or makes it with the store's owner and mode. Empties it if nobody else uses it.
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
        // Shorter than a header, so that nobody takes what is left for one.
        guard file.isIntact, ftruncate(file.descriptor, 3) == 0 else {
          status = SQLiteError.indexOpen
          return nil
        }
      }
      status = locks.set(.shared, at: Self.usersLock, count: 1)
      guard status == SQLITE_OK else { return nil }
    }

    deinit {
      for region in regions { region.free() }
    }

    // MARK: What SQLite asks for

    /// The region with the given number; nil where the file does not reach and is not to be made longer.
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
          continue
        // It was made shorter since it was asked for its size.
        case .cutShort where attempts < Self.mostAttempts:
          region.free()
          attempts += 1
        case .cutShort, .failed:
          region.free()
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
        if isExclusive, first == Self.writeLock { isWriting = false }
        return locks.set(.none, at: start, count: Int64(count)) == SQLITE_OK ? SQLITE_OK : SQLiteError.indexLock
      }
      guard !isBroken else { return SQLiteError.indexLock }
      let status = locks.set(isExclusive ? .exclusive : .shared, at: start, count: Int64(count))
      guard status == SQLITE_OK else { return status == SQLITE_BUSY ? status : SQLiteError.indexLock }
      exchange()
      if isExclusive, first == Self.writeLock {
        isWriting = true
        // Somebody made the file shorter, and what others wrote there is lost: SQLite builds the index anew.
        if isCutShort { restore() }
      }
      return SQLITE_OK
    }

    /// Brings nothing from the file: SQLite reads one copy of the header, asks for a barrier, and reads the other. Were they
    /// of different moments, it would take the write lock to see why, from under those who wait for it.
    func barrier() { publish() }

    /// Leaves the file, and removes it if nobody else has the store open.
    func leave(removing: Bool) {
      publish()
      if removing, file.stands(at: path) { unlink(path) }
    }

    // MARK: Memory and file

    private var isCutShort: Bool {
      guard let size = file.status?.st_size else { return false }
      return size < regions.count * regionSize
    }

    private func exchange() {
      publish()
      guard !isBroken else { return }
      if isCutShort { return makeGood() }
      // Nobody else changes anything but the readers' marks, in the first region, while this one writes.
      for region in isWriting ? regions.prefix(1) : regions[...] {
        switch region.readAll(from: file) {
        case .whole: continue
        // It was made shorter since it was asked for its size.
        case .cutShort: return makeGood()
        case .failed:
          isBroken = true
          return
        }
      }
    }

    /// Somebody made the file shorter. Who writes has here all that the file held; anybody else has SQLite build it anew.
    private func makeGood() {
      if isWriting { return restore() }
      guard let first = regions.first else { return }
      memset(first.current, 0, Self.headerSize)
      memset(first.known, 0, Self.headerSize)
    }

    /// From the last region to the first, so that the header, which says how much of the rest is valid, comes last.
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

    /// Takes the room on the disk now: a file with holes would kill those that map it when the disk is full.
    private func extend(from size: Int, to end: Int) -> Bool {
      var zero: UInt8 = 0
      for page in size / Self.pageSize..<end / Self.pageSize {
        guard file.write(&zero, 1, at: Int64((page + 1) * Self.pageSize - 1)) else { return false }
      }
      return true
    }
  }
#endif
