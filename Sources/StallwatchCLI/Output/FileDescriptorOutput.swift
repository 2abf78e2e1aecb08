import StallwatchLibc

/// Writes text and bytes to an open file descriptor.
enum FileDescriptorOutput {
  /// Why a write failed.
  struct WriteError: Error {
    /// The errno.
    var code: Int32
    /// The reason in the system's words.
    var reason: String { String(cString: strerror(code)) }
  }

  /// Writes all of `text`, in as many calls as needed. Throws ``WriteError``.
  static func write(_ text: String, to descriptor: Int32) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes all of `bytes` in the same way.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    try bytes.withUnsafeBytes { try write($0, to: descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = bytes
    while !rest.isEmpty {
      let written = systemWrite(descriptor, rest.baseAddress!, rest.count)
      if written >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if errno != EINTR {
        throw WriteError(code: errno)
      }
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes, count)
    #else
      Darwin.write(descriptor, bytes, count)
    #endif
  }
}
