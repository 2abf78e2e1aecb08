#if os(Linux)
  import StallwatchLibc

  /// Another process's sockets in words, from the tables of its network: `tcp 127.0.0.1:5432`. Asking the socket itself
  /// would take a copy of its descriptor, which keeps a connection open that the process closes at that moment.
  enum SocketTable {
    /// The peer of the socket to which a descriptor's link points, `socket:[1234]`; without one, the address on which it
    /// listens; `socket` where no table has it.
    static func describe(_ link: String, of process: ProcessFolder) -> String {
      let inode = link.filter(\.isNumber)
      for (kind, family) in [("tcp", AF_INET), ("tcp6", AF_INET6), ("udp", AF_INET), ("udp6", AF_INET6)] {
        guard let fields = row(of: inode, at: 9, in: process.text("net/\(kind)", limit: largestTable)) else { continue }
        return text(fields, kind: String(kind.prefix(3)), family)
      }
      let table = process.text("net/unix", limit: largestTable)
      guard let fields = row(of: inode, at: 6, in: table) else { return "socket" }
      return fields.count > 7 ? "unix \(fields[7])" : "unix"
    }

    /// In bytes: some 400,000 sockets.
    private static let largestTable = 64 << 20
    /// The state of a socket that listens (TCP_LISTEN of the kernel's include/net/tcp_states.h).
    private static let listening = "0A"

    private static func row(of inode: String, at column: Int, in table: String?) -> [Substring]? {
      guard let table, !inode.isEmpty else { return nil }
      for line in table.utf8.split(separator: UInt8(ascii: "\n")) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: column + 1)
        guard fields.count > column, fields[column].elementsEqual(inode.utf8) else { continue }
        return fields.map { Substring($0) }
      }
      return nil
    }

    /// Columns 1 and 2 are the socket's own address and its peer's, column 3 its state.
    private static func text(_ fields: [Substring], kind: String, _ family: Int32) -> String {
      let isListening = kind == "tcp" && fields[3] == listening
      guard let address = address(fields[isListening ? 1 : 2], family) else { return kind }
      return isListening ? "listening \(kind) \(address)" : "\(kind) \(address)"
    }

    /// `0100007F:1538`: words of four bytes in the machine's order, then the port. Nil without a peer.
    private static func address(_ text: Substring, _ family: Int32) -> String? {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let port = Int(parts[1], radix: 16), port != 0 else { return nil }
      var bytes: [UInt8] = []
      var rest = parts[0]
      while rest.count >= 8, let word = UInt32(rest.prefix(8), radix: 16) {
        withUnsafeBytes(of: word) { bytes += $0 }
        rest = rest.dropFirst(8)
      }
      guard bytes.count == (family == AF_INET6 ? 16 : 4) else { return nil }
      return SocketName.text(family, bytes[...], port: port)
    }
  }
#endif
