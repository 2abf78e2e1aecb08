import CZlib

/// Packs bytes as a gzip file (RFC 1952).
package enum Gzip {
  /// How much work goes into a file.
  package enum Effort: Int32 {
    /// For a file that is written once and kept.
    case usual = -1
    /// For bytes that are sent and forgotten: a quarter of the time, and a fifth longer.
    case least = 1
  }

  /// zlib's: a window of 32 KiB, and a header and an end of gzip's own.
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8
  /// So much is packed at a time: zlib counts in 32 bits.
  private static let piece = 1 << 20

  /// The file. The same bytes give the same file: it has no time and no name.
  package static func packed(_ bytes: [UInt8], effort: Effort = .usual) -> [UInt8] {
    var stream = z_stream()
    // It fails only where there is no memory, as an array would.
    precondition(stallwatch_deflate_init(&stream, effort.rawValue, windowBits, memoryLevel) == Z_OK)
    defer { deflateEnd(&stream) }
    var (file, room) = ([UInt8](), [UInt8](repeating: 0, count: piece))
    var rest = bytes[...]
    repeat {
      var input = Array(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      // SAFETY: zlib reads and writes only within the lengths given to it, and only during the call.
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        repeat {
          let count = room.withUnsafeMutableBufferPointer { room in
            stream.next_out = room.baseAddress
            stream.avail_out = uInt(room.count)
            deflate(&stream, rest.isEmpty ? Z_FINISH : Z_NO_FLUSH)
            return room.count - Int(stream.avail_out)
          }
          file += room[..<count]
        } while stream.avail_out == 0
      }
    } while !rest.isEmpty
    return file
  }

  /// What is in a file, if that is at most `limit` bytes; nil where it is longer, cut or damaged.
  package static func unpacked(_ file: [UInt8], limit: Int) -> [UInt8]? {
    var stream = z_stream()
    precondition(stallwatch_inflate_init(&stream, windowBits) == Z_OK)
    defer { inflateEnd(&stream) }
    var (bytes, room, input) = ([UInt8](), [UInt8](repeating: 0, count: piece), file)
    // SAFETY: zlib reads and writes only within the lengths given to it, and only during the call.
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      while true {
        let (code, count) = room.withUnsafeMutableBufferPointer { room in
          stream.next_out = room.baseAddress
          stream.avail_out = uInt(room.count)
          let code = inflate(&stream, Z_NO_FLUSH)
          return (code, room.count - Int(stream.avail_out))
        }
        bytes += room[..<count]
        guard bytes.count <= limit else { return nil }
        if code == Z_STREAM_END { return bytes }
        guard code == Z_OK, count > 0 || stream.avail_in > 0 else { return nil }
      }
    }
  }
}
