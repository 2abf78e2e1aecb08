import CSQLite
import StallwatchLibc

/// A copy of a store and its log in a folder of our own, for a store that cannot be read in place without leaving
/// something beside it.
enum PrivateCopy {
  private static let attempts = 5

  /// Copies the store at `realPath`, brings its log into the copy, and opens it. Removes the folder before it returns:
  /// the open file lives on without a name, and vanishes when its reader ends, however that happens.
  static func open(_ realPath: String, shown path: String) throws(StoreError) -> Connection {
    let folder = try makeFolder(path)
    let copy = folder + "/store"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) }
      rmdir(folder)
    }
    try copyUndisturbed(from: realPath, to: copy, shown: path)
    try RollbackJournal.check(besides: copy, shown: path)
    return try reportingFailures(of: path) { () throws(SQLiteFailure) in
      do throws(SQLiteFailure) {
        try bringIn(logOf: copy)
      } catch {
        // The copy is ours to write: if it is read-only, its header says so.
        throw error.primaryCode == SQLITE_READONLY ? .badContents(error.message) : error
      }
      return try Connection(name: DatabaseURI.immutable(copy), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }
  }

  /// The same, to be changed: what is written goes with the copy.
  static func forChanges(_ realPath: String, shown path: String) throws(StoreError) -> Connection {
    let folder = try makeFolder(path)
    let copy = folder + "/store"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) }
      rmdir(folder)
    }
    try copyUndisturbed(from: realPath, to: copy, shown: path)
    try RollbackJournal.check(besides: copy, shown: path)
    try reportingFailures(of: path) { () throws(SQLiteFailure) in try bringIn(logOf: copy) }
    let connection = try WritableStore.open(copy, creating: false, busyTimeout: 0)
    // A journal would need the folder, which is about to go.
    try reportingFailures(of: path) { () throws(SQLiteFailure) in
      _ = try connection.firstText("PRAGMA journal_mode = MEMORY")
    }
    return connection
  }

  private static func bringIn(logOf copy: String) throws(SQLiteFailure) {
    let connection = try Connection(name: copy, flags: SQLITE_OPEN_READWRITE)
    // Leaving the write-ahead log, or any read when there is a journal, makes the file whole.
    _ = try connection.firstText("PRAGMA journal_mode = DELETE")
    _ = try connection.firstInteger("SELECT count(*) FROM sqlite_schema")
  }

  private static func makeFolder(_ path: String) throws(StoreError) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/stallwatch-read-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .failed(
        path: path, detail: "cannot create a copy in \(parent) (\(lastSystemError())); set TMPDIR to a writable folder")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Copies until the files stay the same throughout: page and log belong together.
  private static func copyUndisturbed(from source: String, to copy: String, shown path: String) throws(StoreError) {
    let suffixes = ["", "-wal", "-journal"]
    for _ in 0..<attempts {
      let before = suffixes.map { FileStatus(path: source + $0, followingLinks: false) }
      for (suffix, status) in zip(suffixes, before) {
        unlink(copy + suffix)
        if status != nil { try copyFile(from: source + suffix, to: copy + suffix, shown: path) }
      }
      if before == suffixes.map({ FileStatus(path: source + $0, followingLinks: false) }) { return }
    }
    throw .failed(path: path, detail: "is being written and cannot be read now; try again later")
  }

  private static func copyFile(from source: String, to copy: String, shown path: String) throws(StoreError) {
    // Closing the source releases this process's locks on it. The process holds none: if it writes the store, it has
    // its shared-memory file there, and then reads the store in place.
    let input = Descriptor(Self.systemOpen(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0))
    if input.number < 0 {
      if errno == ENOENT { return }  // The file vanished meanwhile: the files changed, and copying starts again.
      throw .notPermitted(path: path, detail: lastSystemError())
    }
    if let what = FileStatus(descriptor: input.number)?.obstacle {
      throw .damaged(path: path, detail: "the file beside it is \(what)")
    }
    let output = Descriptor(Self.systemOpen(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    guard output.number >= 0 else { throw .failed(path: path, detail: "cannot be copied: \(lastSystemError())") }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(input.number, &buffer, buffer.count)
      if count == 0 { return }
      guard count > 0, write(output.number, buffer, count) == count else {
        throw .failed(path: path, detail: "cannot be copied: \(lastSystemError())")
      }
    }
  }

  private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, flags, mode)
    #elseif canImport(Musl)
      Musl.open(path, flags, mode)
    #else
      Glibc.open(path, flags, mode)
    #endif
  }

  /// An open descriptor, closed when its owner goes away.
  private struct Descriptor: ~Copyable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { if number >= 0 { close(number) } }
  }
}
