#if os(Linux)
  import CSQLite
  import StallwatchLibc

  extension StoreFileSystem {
    /// The functions that SQLite calls for an open file (sqlite.org/c3ref/io_methods.html). Never freed.
    nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
      let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      methods.initialize(to: sqlite3_io_methods())
      // Version 2 has no xFetch, so that SQLite maps nothing of the store.
      methods.pointee.iVersion = 2
      methods.pointee.xClose = { StoreFileSystem.close($0) }
      methods.pointee.xRead = { file($0).read($1, $2, at: $3) }
      methods.pointee.xWrite = { file($0).write($1, $2, at: $3) }
      methods.pointee.xTruncate = { file($0).truncate(to: $1) }
      methods.pointee.xSync = { place, _ in file(place).sync() }
      methods.pointee.xFileSize = { file($0).measure($1) }
      methods.pointee.xLock = { file($0).take($1) }
      methods.pointee.xUnlock = { file($0).unlock(to: $1) }
      methods.pointee.xCheckReservedLock = { file($0).checkReserved($1) }
      methods.pointee.xFileControl = { file($0).control($1, $2) }
      methods.pointee.xSectorSize = { _ in sectorSize }
      methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
      methods.pointee.xShmMap = { file($0).mapIndex($1, $2, $3, $4) }
      methods.pointee.xShmLock = { file($0).logIndex?.lock($1, count: $2, flags: $3) ?? SQLiteError.indexLock }
      methods.pointee.xShmBarrier = { file($0).logIndex?.barrier() }
      methods.pointee.xShmUnmap = { file($0).leaveIndex($1) }
      return methods
    }()

    /// In bytes; SQLite's own file system gives the same for every disk.
    private static let sectorSize: Int32 = 4_096

    private static func handle(_ place: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<Handle> {
      UnsafeMutableRawPointer(place!).assumingMemoryBound(to: Handle.self)
    }

    private static func file(_ place: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseFile {
      handle(place).pointee.file!.takeUnretainedValue()
    }

    private static func close(_ place: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
      handle(place).pointee.file?.release()
      handle(place).pointee.file = nil
      place?.pointee.pMethods = nil
      return SQLITE_OK
    }
  }

  extension DatabaseFile {
    fileprivate func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int32, at offset: Int64) -> Int32 {
      guard writeFrames() else { return writeError }
      guard let buffer, let done = file.read(into: buffer, Int(count), at: offset) else { return SQLiteError.read }
      guard done < Int(count) else { return SQLITE_OK }
      memset(buffer + done, 0, Int(count) - done)
      return SQLiteError.shortRead
    }

    fileprivate func write(_ buffer: UnsafeRawPointer?, _ count: Int32, at offset: Int64) -> Int32 {
      guard let buffer else { return SQLiteError.write }
      switch frames?.take(UnsafeRawBufferPointer(start: buffer, count: Int(count)), at: offset) {
      case .wait: return SQLITE_OK
      case .writeAll: return writeFrames() ? SQLITE_OK : writeError
      case .writeApart, nil: return writeFrames() && file.write(buffer, Int(count), at: offset) ? SQLITE_OK : writeError
      }
    }

    /// Why a write failed. For a writer, a limit on the size of files is a full disk.
    private var writeError: Int32 { [ENOSPC, EDQUOT, EFBIG].contains(errno) ? SQLITE_FULL : SQLiteError.write }

    fileprivate func truncate(to size: Int64) -> Int32 {
      writeFrames() && file.isIntact && ftruncate(file.descriptor, off_t(size)) == 0 ? SQLITE_OK : SQLiteError.truncate
    }

    fileprivate func measure(_ size: UnsafeMutablePointer<Int64>?) -> Int32 {
      guard writeFrames(), let status = file.status else { return SQLiteError.status }
      size?.pointee = Int64(status.st_size)
      return SQLITE_OK
    }

    /// Takes a lock. From an exclusive one on SQLite uses the log's index without locks of its own: the last connection
    /// copies the log into the store so, before it removes the log.
    fileprivate func take(_ level: Int32) -> Int32 {
      let status = lock(level)
      if status == SQLITE_OK, level == SQLITE_LOCK_EXCLUSIVE { logIndex?.refresh() }
      return status
    }

    fileprivate func checkReserved(_ answer: UnsafeMutablePointer<Int32>?) -> Int32 {
      guard let isReserved else { return SQLiteError.checkLock }
      answer?.pointee = isReserved ? 1 : 0
      return SQLITE_OK
    }

    fileprivate func control(_ what: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
      let number = argument?.assumingMemoryBound(to: Int32.self)
      switch what {
      case SQLITE_FCNTL_LOCKSTATE: number?.pointee = level
      case SQLITE_FCNTL_PERSIST_WAL:
        if let number, number.pointee >= 0 { keepsLog = number.pointee > 0 } else { number?.pointee = keepsLog ? 1 : 0 }
      case SQLITE_FCNTL_POWERSAFE_OVERWRITE: number?.pointee = 1
      case SQLITE_FCNTL_HAS_MOVED: number?.pointee = file.stands(at: path) ? 0 : 1
      case SQLITE_FCNTL_SIZE_HINT: break
      case StoreFileSystem.giveBackMemory: logIndex?.giveBackMemory()
      default: return SQLITE_NOTFOUND
      }
      return SQLITE_OK
    }

    fileprivate func mapIndex(
      _ number: Int32, _ size: Int32, _ extends: Int32,
      _ region: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
      region?.pointee = nil
      var status = SQLITE_OK
      if logIndex == nil { logIndex = LogIndex(beside: file, at: path, status: &status) }
      guard let logIndex else { return status }
      region?.pointee = logIndex.region(Int(number), size: Int(size), extending: extends != 0, status: &status)
      return status
    }

    fileprivate func leaveIndex(_ removes: Int32) -> Int32 {
      logIndex?.leave(removing: removes != 0)
      logIndex = nil
      return SQLITE_OK
    }
  }
#endif
