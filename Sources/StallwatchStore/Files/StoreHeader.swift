import CSQLite

/// The first 100 bytes of a database file (sqlite.org/fileformat2.html, section 1.3), read before SQLite may act on
/// what they contain.
struct StoreHeader {
  private let bytes: [UInt8]
  /// The file's length in bytes.
  let fileSize: Int64

  private static let length = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Reads the header of the file at `realPath` without taking a lock or leaving a file beside it.
  ///
  /// Reads through SQLite's own descriptor: opening and closing another one would release the locks that this process
  /// may hold on the file as its writer.
  init(realPath: String, fileSystem: UnsafePointer<CChar>? = nil) throws(SQLiteFailure) {
    let connection = try Connection(
      name: DatabaseURI.immutable(realPath), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, fileSystem: fileSystem)
    var file: UnsafeMutablePointer<sqlite3_file>?
    try connection.check(sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
    guard let file, let methods = file.pointee.pMethods, let read = methods.pointee.xRead,
      let measure = methods.pointee.xFileSize
    else { throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "the file cannot be opened") }
    var size: Int64 = 0
    try connection.check(measure(file, &size))
    fileSize = size
    bytes = try withUnsafeTemporaryAllocation(byteCount: Self.length, alignment: 8) { buffer throws(SQLiteFailure) in
      // SQLite fills the bytes beyond the file's end with zeros.
      let status = read(file, buffer.baseAddress, Int32(Self.length), 0)
      if status != SQLiteFailure.shortRead { try connection.check(status) }
      return Array(buffer)
    }
  }

  /// Whether the file has no bytes yet.
  var isEmpty: Bool { fileSize == 0 }

  /// Whether it is an SQLite database marked as a store.
  var isStore: Bool {
    bytes.starts(with: Self.magic)
      && (isTooShort || number(at: 68) == Schema.applicationID)
  }

  /// Whether it is shorter than a header.
  var isTooShort: Bool { fileSize < Self.length }

  /// Whether the file ends before its last page. Meaningless while a log or journal stands beside it.
  var isCutShort: Bool {
    if isTooShort { return true }
    // The page count is valid only if the same change wrote it and the change counter.
    guard number(at: 24) == number(at: 92) else { return endsWithinPage }
    return fileSize < number(at: 28) * bytesAPage
  }

  /// Whether the file ends in the middle of a page; SQLite would take the rest of that page for zeros. Meaningless
  /// while a log or journal stands beside it.
  var endsWithinPage: Bool { isTooShort || fileSize % max(bytesAPage, 1) != 0 }

  /// A page size of 1 in the header stands for 65,536.
  private var bytesAPage: Int64 {
    let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
    return pageSize == 1 ? 65_536 : pageSize
  }

  private func number(at offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
}
