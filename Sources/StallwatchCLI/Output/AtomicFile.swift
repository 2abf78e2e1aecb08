import StallwatchLibc

/// A file that appears at its path whole or not at all: it is written beside it under another name, then renamed.
///
/// What is not a regular file (a pipe, a terminal, `/dev/null`) cannot be replaced, and is written directly.
final class AtomicFile {
  private let path: String
  /// The name of the file while it is written; nil when `path` is written directly.
  private let temporaryPath: String?
  private let descriptor: Int32

  /// Opens a file to replace the one at `path`, or the one that a link at `path` leads to. The old file stays as it is
  /// until ``commit()``. Throws ``Failure``.
  init(replacing path: String) throws {
    let target = realPath(path) ?? path
    var status = stat()
    let exists = stat(target, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw Failure(.badInput, "\(path): is a directory; name a file to write to") }
    if exists, kind != S_IFREG {
      (self.path, temporaryPath) = (target, nil)
      descriptor = open(target, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure("cannot write", path) }
      return
    }
    if exists, access(target, W_OK) != 0 { throw Self.failure("cannot write", path) }
    let directory = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
    var template = Array((directory + ".stallwatch-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure("cannot create a file beside", path) }
    self.path = target
    temporaryPath = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let mask = umask(0)
    umask(mask)
    // mkstemp makes the file readable for its owner only. Give it the old file's rights, or those of any new file.
    fchmod(descriptor, exists ? status.st_mode & 0o777 : 0o666 & ~mask)
  }

  /// Appends `text`. Throws ``Failure``.
  func write(_ text: String) throws { try reporting { try FileDescriptorOutput.write(text, to: descriptor) } }

  /// Appends `bytes`. Throws ``Failure``.
  func write(_ bytes: [UInt8]) throws { try reporting { try FileDescriptorOutput.write(bytes, to: descriptor) } }

  private func reporting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as FileDescriptorOutput.WriteError {
      throw Failure(.unable, "\(path): cannot write: \(error.reason)")
    }
  }

  /// Moves the file to its place. Throws ``Failure``. Call this or ``discard()``, once.
  func commit() throws {
    guard let temporaryPath else {
      close(descriptor)
      return
    }
    guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else { throw Self.failure("cannot write", path) }
    close(descriptor)
  }

  /// Drops the new file and keeps the old one.
  func discard() {
    close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }

  private static func failure(_ what: String, _ path: String) -> Failure {
    Failure(.unable, "\(path): \(what) it: \(String(cString: strerror(errno))); name another file")
  }
}
