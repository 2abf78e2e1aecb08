#if os(Linux)
  import StallwatchLibc

  /// What lies behind a descriptor of a process.
  enum DescriptorTarget {
    /// A file's path, a socket's peer, `pipe`, or the kernel's name for it; nil when the descriptor is not open.
    static func describe(_ descriptor: Int32, of process: ProcessFolder) -> String? {
      guard let link = process.link("fd/\(descriptor)") else { return nil }
      if link.hasPrefix("/") { return link }
      if link.hasPrefix("socket:") {
        return process == .own ? SocketName.describe(descriptor) : SocketTable.describe(link, of: process)
      }
      // pipe:[12345], anon_inode:[eventfd], anon_inode:inotify
      let anonymous = "anon_inode:"
      guard link.hasPrefix(anonymous) else { return String(link.prefix { $0 != ":" }) }
      return link.dropFirst(anonymous.count).filter { $0 != "[" && $0 != "]" }
    }

    /// How many descriptors an epoll descriptor watches; nil when it cannot be read.
    static func watchedCount(_ descriptor: Int32, of process: ProcessFolder) -> Int? {
      let file = open("\(process.path)/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC)
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
  }
#endif
