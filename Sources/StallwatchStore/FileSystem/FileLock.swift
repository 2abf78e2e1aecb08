#if os(Linux)
  import CSQLite
  import StallwatchLibc

  /// Locks on bytes of an open file that belong to that opening and not to the process (fcntl(2), open file description
  /// locks). They hold against other openings in this process and in others, and against SQLite's own locks. Closing
  /// another descriptor of the file does not release them.
  struct FileLock {
    enum Kind {
      case shared, exclusive, none

      fileprivate var system: Int16 {
        switch self {
        case .shared: Int16(F_RDLCK)
        case .exclusive: Int16(F_WRLCK)
        case .none: Int16(F_UNLCK)
        }
      }
    }

    let file: OpenFile

    /// Takes, changes or releases the lock on `count` bytes; 0 means to the file's end. Returns SQLite's result code.
    func set(_ kind: Kind, at start: Int64, count: Int64) -> Int32 {
      guard file.isIntact else { return SQLITE_IOERR }
      var lock = Self.description(kind, start, count)
      while fcntl(file.descriptor, Self.setOwn, &lock) != 0 {
        switch errno {
        case EINTR: continue
        case EACCES, EAGAIN, ENOLCK, EBUSY: return SQLITE_BUSY
        default: return SQLITE_IOERR
        }
      }
      return SQLITE_OK
    }

    /// The kind of lock that prevents an exclusive lock there; `none` if none does, nil if the system reports nothing.
    func holder(at start: Int64, count: Int64) -> Kind? {
      var lock = Self.description(.exclusive, start, count)
      guard file.isIntact, fcntl(file.descriptor, Self.getOwn, &lock) == 0 else { return nil }
      switch Int32(lock.l_type) {
      case Int32(F_UNLCK): return Kind.none
      case Int32(F_WRLCK): return .exclusive
      default: return .shared
      }
    }

    private static func description(_ kind: Kind, _ start: Int64, _ count: Int64) -> flock {
      var lock = flock()
      lock.l_type = kind.system
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = off_t(start)
      lock.l_len = off_t(count)
      return lock
    }

    /// `F_OFD_GETLK` and `F_OFD_SETLK` (Linux 3.15), which not every C library declares.
    private static let getOwn: Int32 = 36
    private static let setOwn: Int32 = 37
  }
#endif
