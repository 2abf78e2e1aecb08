#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The journal beside a store, which SQLite plays back into it when a writer died in the middle of a change.
///
/// A journal may end with the name of another file, a super-journal, which SQLite deletes after the playback. A change to
/// a store touches no other database, so a journal of a store never names one; a journal that does is not ours, and
/// nothing of it may be played back.
enum RollbackJournal {
  /// The bytes that a journal begins with, and ends with where it names a super-journal (sqlite.org/fileformat2.html,
  /// section 3).
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// Throws where the journal of the database at `database` names another file, or is no file itself. Whether there is
  /// one at all does not matter.
  static func check(besides database: String, shown path: String) throws(StoreError) {
    // The error is read before the name is freed: an allocator other than the system's may change it.
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
