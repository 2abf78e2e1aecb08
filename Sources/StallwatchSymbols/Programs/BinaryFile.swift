import StallwatchLibc

/// Reads pieces of a regular file. Checks every read against the file's size: a hostile offset yields nil, not a trap.
final class BinaryFile {
  /// The largest piece, in bytes, unless the caller sets a limit. What says how a program is loaded is far smaller.
  static let largestPiece = 16 << 20

  /// The file's length in bytes at the time of opening.
  let size: UInt64
  /// Permissions and owner, from `fstat`.
  let status: stat
  private let descriptor: Int32

  /// Opens the regular file at `path`; nil for anything else, or where it cannot be read.
  init?(path: String) {
    // O_NONBLOCK: opening a pipe without a writer must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.status = status
    size = UInt64(max(0, status.st_size))
  }

  deinit { close(descriptor) }

  /// `count` bytes from `offset`; nil where the file does not hold them all, or `count` exceeds `limit`.
  func bytes(at offset: UInt64, count: UInt64, limit: UInt64 = UInt64(largestPiece)) -> BinaryPiece? {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard !overflow, end <= size, count <= limit else { return nil }
    let wanted = Int(count)
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      while filled < wanted {
        let read = pread(
          descriptor, buffer.baseAddress! + filled, wanted - filled, off_t(offset) + off_t(filled))
        if read > 0 { filled += read } else if read == 0 || errno != EINTR { break }
      }
    }
    return bytes.count == wanted ? BinaryPiece(bytes: bytes) : nil
  }
}

/// Bytes of a file, read as little-endian numbers and C strings. Reading past the end yields nil.
struct BinaryPiece {
  var bytes: [UInt8]

  /// The number of this type at `offset`.
  func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
    let width = Number.bitWidth / 8
    guard offset >= 0, offset <= bytes.count - width else { return nil }
    return bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// The longest path, in bytes (`PATH_MAX`).
  static let longestPath = 4_096

  /// The text from `offset` to the next zero byte; nil where it is longer than `longest` bytes.
  func string(at offset: Int, longest: Int = longestPath) -> String? {
    guard offset >= 0, offset < bytes.count, let end = bytes[offset...].prefix(longest + 1).firstIndex(of: 0)
    else { return nil }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }
}
