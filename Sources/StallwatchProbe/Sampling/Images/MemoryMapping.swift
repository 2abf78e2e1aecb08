#if os(Linux)
  import CStallwatch
  import StallwatchLibc

  /// A line of /proc/PID/maps.
  struct MemoryMapping: Equatable {
    var start: UInt64
    var end: UInt64
    var isExecutable: Bool
    /// Where in its file it begins, in bytes.
    var offset: UInt64
    /// Its file, or the kernel's name in brackets; empty for anonymous memory.
    var path: String

    /// Reads a line: `start-end perms offset device inode path`, numbers in hexadecimal.
    init?(line: Slice<UnsafeBufferPointer<UInt8>>) {
      var rest = line
      guard let start = Self.hexadecimal(&rest), rest.popFirst() == UInt8(ascii: "-"),
        let end = Self.hexadecimal(&rest), rest.popFirst() == UInt8(ascii: " "), rest.count > 5
      else { return nil }
      self.start = start
      self.end = end
      isExecutable = rest[rest.startIndex + 2] == UInt8(ascii: "x")
      rest = rest.dropFirst(5)
      guard let offset = Self.hexadecimal(&rest) else { return nil }
      self.offset = offset
      for _ in 0..<2 { rest = rest.drop { $0 == UInt8(ascii: " ") }.drop { $0 != UInt8(ascii: " ") } }
      path = Self.path(rest.drop { $0 == UInt8(ascii: " ") })
    }

    private static func hexadecimal(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
      var value: UInt64 = 0
      var digits = 0
      while let byte = rest.first {
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
        default: return digits > 0 ? value : nil
        }
        value = value << 4 | UInt64(digit)
        digits += 1
        rest = rest.dropFirst()
      }
      return digits > 0 ? value : nil
    }

    /// A file that was replaced since has " (deleted)" after its name; its build-id tells it from the new one.
    private static func path(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      let mark = " (deleted)"
      return text.hasSuffix(mark) ? String(text.dropLast(mark.count)) : text
    }

    /// The mapping of this process that holds an address. Asks the kernel if it is 6.11 or newer and no filter of
    /// system calls is in force, which takes some microseconds; otherwise searches all mappings.
    static func bounds(around address: UInt64) -> Range<UInt64>? {
      if !stallwatch_may_have_filter(), let asked = askForBounds(around: address) { return asked }
      return all().first { $0.start <= address && address < $0.end }.map { $0.start..<$0.end }
    }

    private static func askForBounds(around address: UInt64) -> Range<UInt64>? {
      let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      // struct procmap_query of linux/fs.h: its size, flags, the address; then the mapping's start and end, and more.
      var query = [UInt64](repeating: 0, count: procmapQueryWords)
      (query[0], query[2]) = (UInt64(procmapQueryWords * MemoryLayout<UInt64>.size), address)
      return ioctl(file, procmapQuery, &query) == 0 ? query[3]..<query[4] : nil
    }

    private static let procmapQueryWords = 13
    /// PROCMAP_QUERY: _IOWR('f', 17, struct procmap_query).
    private static let procmapQuery = UInt(3 << 30 | procmapQueryWords * 8 << 16 | 0x66 << 8 | 17)

    /// All mappings of a process, ordered by address; none where the kernel does not show them. About a microsecond a
    /// mapping; takes no lock of the loader.
    static func all(of process: ProcessFolder = .own) -> [MemoryMapping] {
      let file = open("\(process.path)/maps", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return [] }
      defer { close(file) }
      var mappings: [MemoryMapping] = []
      // A read ends with a whole line if one fits; a path has at most 4,096 bytes.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
        var kept = 0
        while true {
          let count = Glibc.read(file, buffer.baseAddress! + kept, buffer.count - kept)
          guard count > 0 else { break }
          let text = UnsafeBufferPointer(rebasing: buffer[..<(kept + count)])
          var rest = text[...]
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let mapping = MemoryMapping(line: rest[..<end]) { mappings.append(mapping) }
            rest = rest[(end + 1)...]
          }
          kept = rest.count
          buffer.baseAddress!.update(from: text.baseAddress! + rest.startIndex, count: kept)
        }
      }
      return mappings
    }
  }
#endif
