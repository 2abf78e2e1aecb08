import StallwatchLibc

/// Keeps a ledger to one `ship`, by a lock on a file beside it. The file names the holder, for others who want the
/// lock. The system releases the lock when the holder's process ends, however that happens.
///
/// It is a file of its own because to close any descriptor of the ledger would release SQLite's locks on it.
final class LedgerLock {
  private let descriptor: Int32

  /// Takes the lock of the ledger at `path`. Throws ``LedgerError``.
  init(ledger path: String, holder: String) throws(LedgerError) {
    let name = path + "-lock"
    let opened = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .failed(path: name, detail: "cannot be opened: \(lastSystemError())") }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      let text = Self.text(of: opened)
      close(opened)
      if reason == EWOULDBLOCK { throw .held(path: path, by: text.isEmpty ? "another process" : text) }
      errno = reason
      throw .failed(path: name, detail: "cannot be locked: \(lastSystemError())")
    }
    descriptor = opened
    // Only for the message to processes that find the ledger in use: on a full disk it names nobody.
    ftruncate(opened, 0)
    var holder = holder
    _ = holder.withUTF8 { pwrite(opened, $0.baseAddress, $0.count, 0) }
  }

  deinit { close(descriptor) }

  private static func text(of descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 200)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return SQLiteFailure.harmless(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
  }
}
