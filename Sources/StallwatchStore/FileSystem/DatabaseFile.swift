#if os(Linux)
  import CSQLite
  import StallwatchLibc

  /// A store, its log or its journal, locked as SQLite's own file system does (sqlite.org/lockingv3.html), so that
  /// every other program with SQLite may have it open at the same time.
  final class DatabaseFile {
    let file: OpenFile
    let path: String
    /// Whether the folder's entry for the file must reach the disk together with its contents.
    private var isNew: Bool
    private(set) var level = SQLITE_LOCK_NONE
    /// Nil until SQLite uses the log.
    var logIndex: LogIndex?
    var keepsLog = false
    /// What waits to be appended, if this is the log; else nil.
    var frames: LogFrames?

    /// The locked bytes lie beyond the size of any store, in a page that SQLite never uses.
    private static let pending: Int64 = 0x4000_0000
    private static let reserved = pending + 1
    private static let readers = pending + 2
    private static let readersCount: Int64 = 510

    init(_ file: OpenFile, path: String, isNew: Bool, isLog: Bool) {
      (self.file, self.path, self.isNew) = (file, path, isNew)
      if isLog { frames = LogFrames() }
    }

    /// Writes frames of the log that wait. False with `errno` when that fails.
    func writeFrames() -> Bool { frames?.write(to: file) ?? true }

    private var locks: FileLock { FileLock(file: file) }

    func lock(_ wanted: Int32) -> Int32 {
      guard wanted > level else { return SQLITE_OK }
      if wanted == SQLITE_LOCK_SHARED {
        // A connection that wants to be alone holds this byte, so that no more readers come.
        var status = locks.set(.shared, at: Self.pending, count: 1)
        guard status == SQLITE_OK else { return status }
        status = locks.set(.shared, at: Self.readers, count: Self.readersCount)
        _ = locks.set(.none, at: Self.pending, count: 1)
        if status == SQLITE_OK { level = wanted }
        return status
      }
      if wanted == SQLITE_LOCK_RESERVED {
        let status = locks.set(.exclusive, at: Self.reserved, count: 1)
        if status == SQLITE_OK { level = wanted }
        return status
      }
      if level < SQLITE_LOCK_PENDING {
        let status = locks.set(.exclusive, at: Self.pending, count: 1)
        guard status == SQLITE_OK else { return status }
        level = SQLITE_LOCK_PENDING
      }
      let status = locks.set(.exclusive, at: Self.readers, count: Self.readersCount)
      if status == SQLITE_OK { level = wanted }
      return status
    }

    func unlock(to wanted: Int32) -> Int32 {
      guard wanted < level else { return SQLITE_OK }
      if wanted == SQLITE_LOCK_SHARED {
        if level == SQLITE_LOCK_EXCLUSIVE {
          guard locks.set(.shared, at: Self.readers, count: Self.readersCount) == SQLITE_OK else {
            return SQLiteError.readLock
          }
        }
        guard locks.set(.none, at: Self.pending, count: 2) == SQLITE_OK else { return SQLiteError.unlock }
      } else {
        guard locks.set(.none, at: 0, count: 0) == SQLITE_OK else { return SQLiteError.unlock }
      }
      level = wanted
      return SQLITE_OK
    }

    /// Whether a connection is about to write; nil when that cannot be known.
    var isReserved: Bool? {
      if level > SQLITE_LOCK_SHARED { return true }
      return locks.holder(at: Self.reserved, count: 1).map { $0 != .none }
    }

    func sync() -> Int32 {
      guard writeFrames(), file.isIntact, fdatasync(file.descriptor) == 0 else { return SQLiteError.sync }
      guard isNew else { return SQLITE_OK }
      isNew = false
      // A file that lasts needs a name that lasts. Some file systems do not let folders be opened for that.
      let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
      let descriptor = open(folder.isEmpty ? "/" : String(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if descriptor >= 0 {
        fsync(descriptor)
        close(descriptor)
      }
      return SQLITE_OK
    }
  }

  /// SQLite's extended result codes; its header writes them as expressions.
  enum SQLiteError {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let status = SQLITE_IOERR | 7 << 8
    static let unlock = SQLITE_IOERR | 8 << 8
    static let readLock = SQLITE_IOERR | 9 << 8
    static let checkLock = SQLITE_IOERR | 14 << 8
    static let indexOpen = SQLITE_IOERR | 18 << 8
    static let indexSize = SQLITE_IOERR | 19 << 8
    static let indexLock = SQLITE_IOERR | 20 << 8
    static let indexMap = SQLITE_IOERR | 21 << 8
  }
#endif
