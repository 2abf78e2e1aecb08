import CSQLite

/// The file system that a store's writer gives to SQLite: SQLite's own, except for the store, its log and its journal.
///
/// It keeps the program unharmed where SQLite's own would not. It writes to no descriptor that has become a file of the
/// program's (``OpenFile``). It shares no memory that vanishes when a file is shortened (``LogIndex``). It shares
/// nothing with other connections to the store in this process, whose descriptors may lie in another table
/// (``FileLock``). Linux only; other systems use SQLite's own.
enum StoreFileSystem {
  /// Its name for sqlite3_open_v2; nil selects SQLite's own file system.
  static var name: UnsafePointer<CChar>? {
    #if os(Linux)
      return UnsafePointer(registered?.pointee.zName)
    #else
      return nil
    #endif
  }

  /// The operation of sqlite3_file_control that gives back the memory of the log's index until it is needed. SQLite
  /// leaves numbers above 100 to others; its own file system does not know it.
  static let giveBackMemory: Int32 = 4_071
}

#if os(Linux)
  import StallwatchLibc

  extension StoreFileSystem {
    /// The memory that SQLite allocates for one of our open files.
    struct Handle {
      var base: sqlite3_file
      var file: Unmanaged<DatabaseFile>?
    }

    /// SQLite's own file system.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

    /// Registered once and never freed.
    nonisolated(unsafe) private static let registered: UnsafeMutablePointer<sqlite3_vfs>? = {
      guard let system else { return nil }
      let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      own.initialize(to: system.pointee)
      // Two copies of this library in one process, an embedded and an injected one, are two file systems.
      own.pointee.zName = UnsafePointer(strdup("stallwatch-\(UInt(bitPattern: own))"))
      own.pointee.iVersion = 2
      own.pointee.pNext = nil
      own.pointee.szOsFile = max(Int32(MemoryLayout<Handle>.size), system.pointee.szOsFile)
      own.pointee.xOpen = { _, name, file, flags, given in StoreFileSystem.open(name, file, flags, given) }
      return sqlite3_vfs_register(own, 0) == SQLITE_OK ? own : nil
    }()

    private static let kinds = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL

    private static func open(
      _ name: UnsafePointer<CChar>?, _ place: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
      _ given: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
      guard let place, let system else { return SQLITE_CANTOPEN }
      // Temporary files have no name and no lock, and no other connection uses them.
      guard let name, flags & kinds != 0 else { return system.pointee.xOpen(system, name, place, flags, given) }
      place.pointee.pMethods = nil
      let path = String(cString: name)
      let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
      let creates = flags & SQLITE_OPEN_CREATE != 0 && !isDatabase
      let access = flags & SQLITE_OPEN_READONLY != 0 ? O_RDONLY : O_RDWR
      let owner = creates ? status(ofStoreOf: path) : nil
      let isNew = creates && !StorePath.exists(path)
      guard
        let file = OpenFile(
          path: path, flags: access | (creates ? O_CREAT : 0), mode: (owner?.st_mode ?? 0o600) & 0o777)
      else { return SQLITE_CANTOPEN }
      if isNew, let owner, geteuid() == 0 { _ = fchown(file.descriptor, owner.st_uid, owner.st_gid) }
      given?.pointee = flags
      place.withMemoryRebound(to: Handle.self, capacity: 1) { handle in
        handle.pointee.file = .passRetained(
          DatabaseFile(file, path: path, isNew: isNew, isLog: flags & SQLITE_OPEN_WAL != 0))
      }
      place.pointee.pMethods = UnsafePointer(methods)
      return SQLITE_OK
    }

    /// The status of the store whose log or journal is at `path`; these have the store's name and the same readers.
    private static func status(ofStoreOf path: String) -> stat? {
      guard let dash = path.lastIndex(of: "-") else { return nil }
      var status = stat()
      return lstat(String(path[..<dash]), &status) == 0 ? status : nil
    }
  }
#endif
