#if os(Linux)
  import StallwatchLibc

  /// Sockets in words: `tcp 127.0.0.1:5432`, `unix /run/postgresql/.s.PGSQL.5432`.
  enum SocketName {
    /// The peer of a socket of this process; without a peer, the address it listens on. Only asks the kernel, changes
    /// nothing.
    static func describe(_ descriptor: Int32) -> String {
      if let peer = address({ getpeername(descriptor, $0, $1) }) { return text(peer, of: descriptor) }
      guard option(SO_ACCEPTCONN, of: descriptor) == 1, let own = address({ getsockname(descriptor, $0, $1) }) else {
        return kind(of: descriptor, family: nil)
      }
      return "listening \(text(own, of: descriptor))"
    }

    /// An address in memory, for a socket that is connecting to it.
    static func describe(address: [UInt8], of descriptor: Int32) -> String { text(address, of: descriptor) }

    /// An Internet address with its port, as in `127.0.0.1:80` or `[::1]:80`.
    static func text(_ family: Int32, _ bytes: ArraySlice<UInt8>, port: Int) -> String {
      family == AF_INET6 ? "[\(numeric(family, bytes))]:\(port)" : "\(numeric(family, bytes)):\(port)"
    }

    private static func address(
      _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> [UInt8]? {
      withUnsafeTemporaryAllocation(of: sockaddr_storage.self, capacity: 1) { storage in
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let bytes = UnsafeMutableRawPointer(storage.baseAddress!)
        guard ask(bytes.assumingMemoryBound(to: sockaddr.self), &length) == 0 else { return nil }
        return Array(UnsafeRawBufferPointer(start: bytes, count: min(Int(length), MemoryLayout<sockaddr_storage>.size)))
      }
    }

    private static func text(_ address: [UInt8], of descriptor: Int32) -> String {
      guard address.count >= 2 else { return kind(of: descriptor, family: nil) }
      let family = Int32(UInt16(address[0]) | UInt16(address[1]) << 8)
      let kind = kind(of: descriptor, family: family)
      switch family {
      case AF_INET where address.count >= 8:
        return "\(kind) \(text(AF_INET, address[4...], port: port(address)))"
      case AF_INET6 where address.count >= 24:
        return "\(kind) \(text(AF_INET6, address[8...], port: port(address)))"
      case AF_UNIX where address.count > 2:
        // An abstract name begins with a zero byte; the man pages and ss show it as @.
        let isAbstract = address[2] == 0
        let name = isAbstract ? address[3...] : address[2...].prefix { $0 != 0 }
        return "\(kind) \(isAbstract ? "@" : "")\(String(decoding: name, as: UTF8.self))"
      default: return kind
      }
    }

    private static func kind(of descriptor: Int32, family: Int32?) -> String {
      let domain = family ?? option(SO_DOMAIN, of: descriptor)
      if domain == AF_UNIX { return "unix" }
      guard domain == AF_INET || domain == AF_INET6 else { return "socket" }
      switch option(SO_TYPE, of: descriptor) {
      case Int32(SOCK_STREAM.rawValue): return "tcp"
      case Int32(SOCK_DGRAM.rawValue): return "udp"
      default: return "ip"
      }
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    private static func port(_ address: [UInt8]) -> Int { Int(address[2]) << 8 | Int(address[3]) }

    private static func numeric(_ family: Int32, _ bytes: ArraySlice<UInt8>) -> String {
      bytes.withUnsafeBytes { bytes in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
          inet_ntop(family, bytes.baseAddress!, text.baseAddress!, socklen_t(text.count)).map { String(cString: $0) }
            ?? "?"
        }
      }
    }
  }
#endif
