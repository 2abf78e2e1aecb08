/// Why a store could not be opened, read or written. Each message names the file, the reason and the way out.
public enum StoreError: Error, Equatable {
  /// No file there.
  case missing(path: String)
  /// A directory, device or symbolic link where a file is needed.
  case notAFile(path: String, what: String)
  /// Another kind of file.
  case foreign(path: String)
  /// A store, but cut short or damaged.
  case damaged(path: String, detail: String)
  /// Written by a newer Stallwatch.
  case newer(path: String, version: Int, supported: Int)
  /// The operating system does not allow it.
  case notPermitted(path: String, detail: String)
  /// Any other answer of SQLite's.
  case failed(path: String, detail: String)
}
