#if os(Linux)
  import StallwatchLibc

  /// What lies behind a descriptor of this process.
  enum DescriptorTarget {
    /// A file's path, a socket's peer, `pipe`, or the kernel's name for it; nil when the descriptor is not open.
    static func describe(_ descriptor: Int32) -> String? {
      guard let link = readLink("/proc/self/fd/\(descriptor)") else { return nil }
      if link.hasPrefix("/") { return link }
      if link.hasPrefix("socket:") { return SocketName.describe(descriptor) }
      // pipe:[12345], anon_inode:[eventfd], anon_inode:inotify
      let anonymous = "anon_inode:"
      guard link.hasPrefix(anonymous) else { return String(link.prefix { $0 != ":" }) }
      return link.dropFirst(anonymous.count).filter { $0 != "[" && $0 != "]" }
    }

    /// How many descriptors an epoll descriptor watches; nil when it cannot be read.
    static func watchedCount(_ descriptor: Int32) -> Int? {
      let file = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // A line for each, of up to 100 bytes; lines that do not fit are not counted.
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
        var filled = 0
        while filled < buffer.count {
          let count = read(file, buffer.baseAddress! + filled, buffer.count - filled)
          guard count > 0 else { break }
          filled += count
        }
        let text = String(decoding: buffer[..<filled], as: UTF8.self)
        return text.split(separator: "\n").count { $0.hasPrefix("tfd:") }
      }
    }

    private static func readLink(_ path: String) -> String? {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let count = readlink(path, buffer.baseAddress!, buffer.count)
        guard count > 0 else { return nil }
        return String(
          decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), as: UTF8.self)
      }
    }
  }
#endif
