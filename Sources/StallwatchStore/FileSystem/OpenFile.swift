#if os(Linux)
  import CStallwatch
  import StallwatchLibc

  /// An open file, known by its descriptor, its device and its inode.
  ///
  /// If a thread has no descriptor table of its own, the program may close our descriptor and get its number for
  /// another file. Then every use first checks that the descriptor still is our file, and never uses one that is not.
  final class OpenFile {
    let descriptor: Int32
    private let device: dev_t
    private let inode: ino_t
    /// Whether only the thread that opened the file, which alone uses it, can close the descriptor.
    private let isPrivate = stallwatch_owns_descriptors()

    /// Opens the regular file at `path`, which must not be a link. Nil with `errno` when that fails.
    init?(path: String, flags: Int32, mode: mode_t = 0) {
      let opened = stallwatch_set_apart(Self.open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode))
      guard opened >= 0 else { return nil }
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

    /// The file's status now; nil with `errno` when the descriptor is no longer the file.
    var status: stat? {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      guard (status.st_dev, status.st_ino) == (device, inode) else {
        errno = EBADF
        return nil
      }
      return status
    }

    /// Whether the descriptor is still our file.
    var isIntact: Bool { isPrivate || status != nil }

    /// Whether the file still stands at `path`.
    func stands(at path: String) -> Bool {
      var status = stat()
      return lstat(path, &status) == 0 && (status.st_dev, status.st_ino) == (device, inode)
    }

    /// Reads up to `count` bytes at `offset`, fewer only at the file's end. Nil with `errno` when that fails.
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

    /// Writes all `count` bytes at `offset`. False with `errno` when that fails.
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
