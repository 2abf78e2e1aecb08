import StallwatchFormats
import StallwatchLibc

/// The destination of a verb's answer: stdout, or a file that only a complete answer replaces.
enum OutputDestination {
  /// Lets `body` write the answer to stdout, or to `path` when one is given. A report must not replace `store`, the
  /// file that it reads. Throws ``Failure``, and what `body` throws.
  static func write(to path: String?, reading store: String, _ body: (@escaping TextSink) throws -> Void) throws {
    if let path, FileIdentity.isSame(path, store) {
      throw Failure(.badInput, "\(path): is the store itself; name another file for the report")
    }
    try write(to: path, body)
  }

  /// The same for an answer that is no text.
  static func write(_ bytes: [UInt8], to path: String?, reading store: String) throws {
    if let path, FileIdentity.isSame(path, store) {
      throw Failure(.badInput, "\(path): is the store itself; name another file for the report")
    }
    guard let path else { return try toStandardOutput { try FileDescriptorOutput.write(bytes, to: STDOUT_FILENO) } }
    let file = try AtomicFile(replacing: path)
    do {
      try file.write(bytes)
      try file.commit()
    } catch {
      file.discard()
      throw error
    }
  }

  /// The same for an answer that comes from no store.
  static func write(to path: String?, _ body: (@escaping TextSink) throws -> Void) throws {
    guard let path else { return try writeToStandardOutput(body) }
    let file = try AtomicFile(replacing: path)
    do {
      try body { try file.write($0 as String) }
      try file.commit()
    } catch {
      file.discard()
      throw error
    }
  }

  /// Lets `body` write the answer to stdout. Throws ``Failure``, and what `body` throws.
  static func writeToStandardOutput(_ body: (@escaping TextSink) throws -> Void) throws {
    try toStandardOutput { try body { try FileDescriptorOutput.write($0, to: STDOUT_FILENO) } }
  }

  private static func toStandardOutput(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as FileDescriptorOutput.WriteError {
      // The reader has seen enough (`report | head`), which needs no message.
      if error.code == EPIPE { throw Failure(.brokenPipe, "") }
      throw Failure(.unable, "cannot write to stdout: \(error.reason)")
    }
  }
}

/// Compares files by identity.
enum FileIdentity {
  /// Whether `first` and `second` both exist and are the same file, also through links.
  static func isSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }
}
