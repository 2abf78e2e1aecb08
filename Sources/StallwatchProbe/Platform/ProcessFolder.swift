#if os(Linux)
  import StallwatchLibc

  /// A process as the kernel shows it under /proc: this one, or another. Files that may not be read, and those of a process
  /// that has ended, read as nil.
  struct ProcessFolder: Equatable, Sendable {
    let path: String

    /// This process.
    static let own = ProcessFolder(path: "/proc/self")

    private init(path: String) { self.path = path }

    /// The process with this number.
    init(process: Int32) { path = "/proc/\(process)" }

    /// The threads' numbers, in the kernel's order, which is that of their beginning.
    var threads: [UInt64] { names("task").compactMap { UInt64($0) } }

    /// The names of what is in a folder of it; none where it may not be read.
    func names(_ folder: String) -> [String] {
      guard let stream = opendir("\(path)/\(folder)") else { return [] }
      defer { closedir(stream) }
      var found: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { found.append(name) }
      }
      return found
    }

    /// What a symbolic link in the folder points to.
    func link(_ name: String) -> String? {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let count = readlink("\(path)/\(name)", buffer.baseAddress!, buffer.count)
        guard count > 0 else { return nil }
        return String(
          decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), as: UTF8.self)
      }
    }

    /// The bytes of a file in the folder, at most `limit`; nil with the reason in errno.
    func bytes(_ name: String, limit: Int = 65_536) -> [UInt8]? {
      let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var (bytes, reason) = ([UInt8](), Int32(0))
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        while bytes.count < limit {
          let count = read(file, buffer.baseAddress, min(buffer.count, limit - bytes.count))
          guard count > 0 else {
            if count < 0 { reason = errno }
            break
          }
          bytes += buffer[..<count]
        }
      }
      guard reason == 0 else {
        errno = reason
        return nil
      }
      return bytes
    }

    /// The text of a file in the folder, without its last line break; nil with the reason in errno.
    func text(_ name: String, limit: Int = 65_536) -> String? {
      guard var bytes = bytes(name, limit: limit) else { return nil }
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
#endif
