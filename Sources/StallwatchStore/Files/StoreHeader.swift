import CSQLite

/// The first 100 bytes of a database file (sqlite.org/fileformat2.html, section 1.3), read before SQLite may do
/// anything because of what stands in them.
struct StoreHeader {
  private let bytes: [UInt8]
  /// The file's length.
  let fileSize: Int64

  private static let length = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Reads the header of the file at `realPath` without taking a lock or leaving a file beside it.
  ///
  /// The bytes are read through SQLite's own descriptor: opening and closing another one would let go of the locks that
  /// this process may hold on the file as its writer.
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
      // What lies beyond the file's end is given as zeros.
      let status = read(file, buffer.baseAddress, Int32(Self.length), 0)
      if status != SQLiteFailure.shortRead { try connection.check(status) }
      return Array(buffer)
    }
  }

  /// Nothing has been written yet.
  var isEmpty: Bool { fileSize == 0 }

  /// It is an SQLite database marked as a store.
  var isStore: Bool {
    bytes.starts(with: Self.magic)
      && (isTooShort || number(at: 68) == Schema.applicationID)
  }

  /// It is shorter than a header.
  var isTooShort: Bool { fileSize < Self.length }

  /// The file ends before its last page. Meaningless while a log or journal stands beside it.
  var isCutShort: Bool {
    if isTooShort { return true }
    // The page count is valid only if the same change wrote it and the change counter.
    guard number(at: 24) == number(at: 92) else { return endsWithinPage }
    return fileSize < number(at: 28) * bytesAPage
  }

  /// The file ends in the middle of a page, which SQLite would take for a page of which the rest is zeros. Meaningless
  /// while a log or journal stands beside it.
  var endsWithinPage: Bool { isTooShort || fileSize % max(bytesAPage, 1) != 0 }

  /// In the header, a page size of 1 stands for 65,536.
  private var bytesAPage: Int64 {
    let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
    return pageSize == 1 ? 65_536 : pageSize
  }

  private func number(at offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
}
