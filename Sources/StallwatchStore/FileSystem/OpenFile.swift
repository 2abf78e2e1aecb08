#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A file that is open, by its descriptor and by which file it is.
  ///
  /// Where a thread has no table of descriptors of its own, the program may close ours and get the number for a file of
  /// its own. So every use asks first whether the descriptor still is the file; one that is not is left alone for good.
  final class OpenFile {
    let descriptor: Int32
    private let device: dev_t
    private let inode: ino_t

    /// Opens the regular file at `path`, which may not be a link. Nil with `errno` when that fails.
    init?(path: String, flags: Int32, mode: mode_t = 0) {
      var opened = Self.open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode)
      guard opened >= 0 else { return nil }
      // 0, 1 and 2 are what others print to.
      if opened <= STDERR_FILENO {
        let low = opened
        opened = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        close(low)
        guard opened >= 0 else { return nil }
      }
      var status = stat()
      guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(opened)
        errno = EINVAL
        return nil
      }
      descriptor = opened
      (device, inode) = (status.st_dev, status.st_ino)
    }

    deinit { if isIntact { close(descriptor) } }

    /// What the system says of the file; nil with `errno` when the descriptor is no longer the file.
    var status: stat? {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      guard (status.st_dev, status.st_ino) == (device, inode) else {
        errno = EBADF
        return nil
      }
      return status
    }

    /// Whether the descriptor is still the file.
    var isIntact: Bool { status != nil }

    /// Whether the file still stands at `path`.
    func stands(at path: String) -> Bool {
      var status = stat()
      return lstat(path, &status) == 0 && (status.st_dev, status.st_ino) == (device, inode)
    }

    /// Reads up to `count` bytes, fewer only at the file's end. Nil with `errno` when that fails.
    func read(into buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) -> Int? {
      guard isIntact else { return nil }
      var done = 0
      while done < count {
        let step = pread(descriptor, buffer + done, count - done, off_t(offset) + done)
        if step < 0 {
          if errno == EINTR { continue }
          return nil
        }
        if step == 0 { break }
        done += step
      }
      return done
    }

    /// Writes all of `count` bytes. False with `errno` when that fails.
    func write(_ buffer: UnsafeRawPointer, _ count: Int, at offset: Int64) -> Bool {
      guard isIntact else { return false }
      var done = 0
      while done < count {
        let step = pwrite(descriptor, buffer + done, count - done, off_t(offset) + done)
        if step < 0 {
          if errno == EINTR { continue }
          return false
        }
        if step == 0 {
          errno = ENOSPC
          return false
        }
        done += step
      }
      return true
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
      while true {
        #if canImport(Musl)
          let opened = Musl.open(path, flags, mode)
        #else
          let opened = Glibc.open(path, flags, mode)
        #endif
        if opened >= 0 || errno != EINTR { return opened }
      }
    }
  }
#endif
