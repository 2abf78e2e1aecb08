import StallwatchLibc

/// The journal beside a store. SQLite plays it back into the store when a writer died in the middle of a change.
///
/// A journal may end with the name of another file, a super-journal, which SQLite deletes after the playback. A change
/// to a store touches no other database, so a store's journal never names one. A journal that does is not ours, and
/// must not be played back.
enum RollbackJournal {
  /// The bytes that begin a journal, and that end it if it names a super-journal (sqlite.org/fileformat2.html, section
  /// 3).
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// Throws if the journal of the database at `database` names another file, is not a file, or cannot be read. Accepts
  /// a database without a journal.
  static func check(besides database: String, shown path: String) throws(StoreError) {
    // Reads the error before the name is freed: an allocator other than the system's may change it.
    let (file, error) = (database + "-journal").withCString { name in
      let file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      return (file, errno)
    }
    guard file >= 0 else {
      if error == ENOENT { return }
      throw .damaged(path: path, detail: "the journal beside it cannot be read: \(String(cString: strerror(error)))")
    }
    defer { close(file) }
    guard let status = FileStatus(descriptor: file), status.obstacle == nil else {
      throw .damaged(path: path, detail: "the journal beside it is not a file")
    }
    // SQLite looks for the name in journals of 16 bytes or more.
    guard status.size >= 16 else { return }
    var end = [UInt8](repeating: 0, count: magic.count)
    guard pread(file, &end, end.count, off_t(status.size) - off_t(end.count)) == end.count else {
      throw .damaged(path: path, detail: "the journal beside it cannot be read")
    }
    if end == magic { throw .damaged(path: path, detail: "the journal beside it names another file to delete") }
  }
}
