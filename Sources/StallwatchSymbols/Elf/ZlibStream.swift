import CZlib

/// Unpacks zlib streams (RFC 1950), as compressed sections of ELF files hold them.
enum ZlibStream {
  /// The most bytes that one byte of a stream unpacks to: a code of two bits for 258 of them.
  private static let mostPacked = 1_032

  /// The `size` bytes that were packed into `input` from `start` on; nil where it does not unpack to just as many.
  static func unpacked(_ input: [UInt8], from start: Int, size: Int) -> [UInt8]? {
    guard start >= 0, start < input.count, size >= 0, size / mostPacked <= input.count - start else { return nil }
    var count = uLong(size)
    var status = Z_DATA_ERROR
    let output = [UInt8](unsafeUninitializedCapacity: size) { output, written in
      // SAFETY: zlib reads no more than the length given to it and writes no more than `count` bytes.
      input.withUnsafeBufferPointer { input in
        guard let packed = input.baseAddress else { return }
        status = uncompress(output.baseAddress, &count, packed + start, uLong(input.count - start))
      }
      written = status == Z_OK ? Int(count) : 0
    }
    return status == Z_OK && output.count == size ? output : nil
  }
}
