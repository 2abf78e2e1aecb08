import CSQLite

/// Why the ledger of what was shipped could not be opened, read or written. Each message names the file and the way out.
package enum LedgerError: Error, Equatable, CustomStringConvertible {
  /// Another `ship` has it open.
  case held(path: String, by: String)
  /// It is for another destination.
  case otherDestination(path: String, its: String)
  /// The file is no ledger, or damaged.
  case unusable(path: String, detail: String)
  /// A newer Stallwatch made it.
  case newer(path: String)
  /// The disk is full, or fails. Later it may work again.
  case noRoom(path: String, detail: String)
  /// The operating system denies access, or any other failure.
  case failed(path: String, detail: String)

  package var description: String {
    switch self {
    case .held(let path, let holder):
      "\(path): \(holder) ships by it already; stop that one, or name another file with --state"
    case .otherDestination(let path, let its):
      "\(path): says what was shipped to \(its); name another file for this destination with --state"
    case .unusable(let path, let detail):
      "\(path): is no usable state of 'ship' (\(detail)); name another file with --state, or remove it to ship "
        + "everything again, which counts nothing twice"
    case .newer(let path):
      "\(path): was written by a newer Stallwatch; update Stallwatch, or name another file with --state"
    case .noRoom(let path, let detail):
      "\(path): cannot be written now (\(detail)); free some room on its disk"
    case .failed(let path, let detail):
      "\(path): \(detail)"
    }
  }

  /// Whether the same may succeed later.
  package var mayPass: Bool {
    if case .noRoom = self { true } else { false }
  }

  /// The error for SQLite's failure in the ledger at `path`.
  init(_ failure: SQLiteFailure, path: String) {
    let detail = SQLiteFailure.harmless(failure.message)
    switch failure.primaryCode {
    case SQLITE_FULL, SQLITE_IOERR: self = .noRoom(path: path, detail: detail)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .noRoom(path: path, detail: "another program has it locked")
    case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG:
      self = .unusable(path: path, detail: detail)
    default: self = .failed(path: path, detail: detail)
    }
  }
}
