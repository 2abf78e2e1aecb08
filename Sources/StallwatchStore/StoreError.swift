/// Why a store could not be opened, read or written. Each message names the file, the reason and the way out.
package enum StoreError: Error, Equatable {
  /// No file stands at the path.
  case missing(path: String)
  /// A directory, device or symbolic link stands where a file is needed.
  case notAFile(path: String, what: String)
  /// The file is of another kind.
  case foreign(path: String)
  /// The store has no contents: a file of no bytes, or one whose first transaction never finished.
  case empty(path: String)
  /// The store is cut short or damaged.
  case damaged(path: String, detail: String)
  /// Somebody changed the store's tables, indexes or views.
  case altered(path: String, detail: String)
  /// A newer Stallwatch wrote the store.
  case newer(path: String, version: Int, supported: Int)
  /// The operating system denies access.
  case notPermitted(path: String, detail: String)
  /// Another program keeps the store locked.
  case busy(path: String)
  /// A recording began in the store during the reading, which may have mixed old and new contents.
  case recordingBegan(path: String)
  /// SQLite failed in any other way.
  case failed(path: String, detail: String)
}

extension StoreError: CustomStringConvertible {
  /// One line for the user: file, reason, way out.
  package var message: String {
    switch self {
    case .missing(let path):
      "\(path): no such file; check the path"
    case .notAFile(let path, let what):
      "\(path): is \(what), not a file; name the store itself"
    case .foreign(let path):
      "\(path): is not a Stallwatch store; name a file that stallwatch record or the library wrote"
    case .empty(let path):
      "\(path): is empty: its recording ended before anything was written; record again"
    case .damaged(let path, let detail):
      "\(path): is damaged (\(detail)); use another copy, or recover what can be read with sqlite3's .recover"
    case .altered(let path, let detail):
      "\(path): its schema is not the one that Stallwatch makes (\(detail)); undo the change, or use another copy"
    case .newer(let path, let version, let supported):
      "\(path): was written by a newer Stallwatch (schema \(version), this one knows \(supported)); update Stallwatch"
    case .notPermitted(let path, let detail):
      "\(path): not permitted (\(detail)); check the owner and mode of the file and its folder"
    case .busy(let path):
      "\(path): database is locked by another program; wait until it finishes, or name another store"
    case .recordingBegan(let path):
      "\(path): a recording began in it while it was read; read it again"
    case .failed(let path, let detail):
      "\(path): \(detail)"
    }
  }

  /// The same as ``message``.
  package var description: String { message }
}

extension StoreError {
  /// The path of the store concerned, as the caller named it.
  package var path: String {
    switch self {
    case .missing(let path), .notAFile(let path, _), .foreign(let path), .empty(let path), .damaged(let path, _),
      .altered(let path, _), .newer(let path, _, _), .notPermitted(let path, _), .busy(let path),
      .recordingBegan(let path), .failed(let path, _):
      path
    }
  }

  /// The same error for the store at `path`.
  package func about(_ path: String) -> StoreError {
    switch self {
    case .missing: .missing(path: path)
    case .notAFile(_, let what): .notAFile(path: path, what: what)
    case .foreign: .foreign(path: path)
    case .empty: .empty(path: path)
    case .damaged(_, let detail): .damaged(path: path, detail: detail)
    case .altered(_, let detail): .altered(path: path, detail: detail)
    case .newer(_, let version, let supported): .newer(path: path, version: version, supported: supported)
    case .notPermitted(_, let detail): .notPermitted(path: path, detail: detail)
    case .busy: .busy(path: path)
    case .recordingBegan: .recordingBegan(path: path)
    case .failed(_, let detail): .failed(path: path, detail: detail)
    }
  }
}
