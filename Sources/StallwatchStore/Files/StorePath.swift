import StallwatchLibc
import Synchronization

/// Checks the place of a store before SQLite opens or makes it.
enum StorePath {
  /// The store's real path, for a reader. Follows a symbolic link to a store.
  static func existing(_ path: String) throws(StoreError) -> String {
    guard let status = FileStatus(path: path, followingLinks: true) else { throw failure(path) }
    if let what = status.obstacle { throw .notAFile(path: path, what: what) }
    guard access(path, R_OK) == 0, let real = realPath(path) else { throw failure(path) }
    return real
  }

  /// The store's path for a writer, with its folder's links resolved, so that only the file itself could be a link;
  /// throws if it is one. If `creating`, makes an empty file that only its owner may read where there is none.
  static func forWriting(_ path: String, creating: Bool) throws(StoreError) -> String {
    let (folder, name) = split(path)
    guard !name.isEmpty, name != ".", name != ".." else { throw .notAFile(path: path, what: "a directory") }
    guard let realFolder = realPath(folder) else {
      throw errno == ENOENT ? .failed(path: path, detail: "its folder does not exist; create it first") : failure(path)
    }
    let real = realFolder == "/" ? "/" + name : realFolder + "/" + name
    if creating { try createIfMissing(real, shown: path) }
    guard let status = FileStatus(path: real, followingLinks: false) else { throw failure(path) }
    if let what = status.obstacle { throw .notAFile(path: path, what: what) }
    guard isWritable(real) else { throw failure(path) }
    return real
  }

  /// Whether something stands at `path`, even a link to nothing.
  static func exists(_ path: String) -> Bool { FileStatus(path: path, followingLinks: false) != nil }

  /// Whether this process may read and write what stands at `path`.
  static func isWritable(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }

  /// Held while a file is made. Closing any descriptor of a file releases all of the process's POSIX locks on it, so no
  /// other thread may open and lock the new file before that.
  private static let creation = Mutex<Void>(())

  private static func createIfMissing(_ real: String, shown path: String) throws(StoreError) {
    let error = creation.withLock { _ -> Int32 in
      let descriptor = open(real, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      if descriptor < 0 { return errno }
      // Restores the modes that the owner needs and that a umask may have removed.
      fchmod(descriptor, 0o600)
      close(descriptor)
      return 0
    }
    if error != 0, error != EEXIST {
      errno = error
      throw failure(path)
    }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// The error for the store at `path` that `errno` means.
  private static func failure(_ path: String) -> StoreError {
    switch errno {
    case ENOENT, ENOTDIR: .missing(path: path)
    case EACCES, EPERM, EROFS: .notPermitted(path: path, detail: lastSystemError())
    default: .failed(path: path, detail: lastSystemError())
    }
  }
}
