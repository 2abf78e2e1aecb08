#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears at its path whole or not at all: written beside it under another name, then renamed.
///
/// What is no regular file (a pipe, a terminal, `/dev/null`) cannot be replaced and is written straight.
final class AtomicFile {
  private let path: String
  /// The name written under; nil when `path` is written straight.
  private let temporaryPath: String?
  private let descriptor: Int32

  /// Opens a file that will replace the one at `path`, or the one that a link at `path` leads to. Throws ``Failure``;
  /// the file at `path` is as it was until ``commit()``.
  init(replacing path: String) throws {
    let target = Self.resolved(path)
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
    // mkstemp makes a file for its owner alone; a report has the rights that any new file would have, or the old one
    // had.
    fchmod(descriptor, exists ? status.st_mode & 0o777 : 0o666 & ~mask)
  }

  /// Appends `text`. Throws ``Failure``.
  func write(_ text: String) throws {
    do {
      try FileDescriptorOutput.write(text, to: descriptor)
    } catch let error as FileDescriptorOutput.WriteError {
      throw Failure(.unable, "\(path): cannot write: \(error.reason)")
    }
  }

  /// Puts the file in its place. Throws ``Failure``. Call this or ``discard()``, once.
  func commit() throws {
    guard let temporaryPath else {
      close(descriptor)
      return
    }
    guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else { throw Self.failure("cannot write", path) }
    close(descriptor)
  }

  /// Gives the file up; what was at its path stays.
  func discard() {
    close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }

  private static func failure(_ what: String, _ path: String) -> Failure {
    Failure(.unable, "\(path): \(what) it: \(String(cString: strerror(errno)))")
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
