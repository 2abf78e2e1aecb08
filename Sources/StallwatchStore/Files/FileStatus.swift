import StallwatchLibc

/// A file's status at one moment, as the operating system reports it.
struct FileStatus: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let kind: mode_t
  private let modified: Int64
  /// The file's length in bytes.
  let size: Int64

  /// The file at `path`; nil when there is none or it cannot be seen; `errno` then holds the reason.
  init?(path: String, followingLinks: Bool) {
    var status = stat()
    guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// The file behind an open descriptor; nil with `errno` when that fails.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    kind = status.st_mode & S_IFMT
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    size = Int64(status.st_size)
  }

  /// Whether `other` is the very same file, whatever its contents are now.
  func isSameFile(as other: FileStatus) -> Bool { (device, inode) == (other.device, other.inode) }

  /// What stands there instead of a regular file, in words; nil for a regular file.
  var obstacle: String? {
    switch kind {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}

/// The operating system's words for `errno`.
func lastSystemError() -> String { String(cString: strerror(errno)) }
