#if canImport(Glibc)
  import CStallwatch
  import Foundation
  import Testing

  @Suite("The heap of a thread of the monitor")
  struct HeapReserveTests {
    /// The memory that this process may write now.
    private static func writable() throws -> [Range<UInt>] {
      try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 ? ends[0]..<ends[1] : nil
      }
    }

    /// Where the thread takes memory then: how much of it was not the process's before, as a share.
    private static func shareOutside() throws -> Double {
      stallwatch_reserve_heap()
      let reserved = try writable()
      // Half of it: one piece or other may lie in what it took to read the file.
      let pieces = (0..<Int(STALLWATCH_HEAP_RESERVE) / 2 / 1_024).map { _ in malloc(1_024) }
      let outside = pieces.count { piece in !reserved.contains { $0.contains(UInt(bitPattern: piece)) } }
      return Double(outside) / Double(pieces.count)
    }

    @Test("serves what the thread takes from then on without growing")
    func grows() async {
      // In a process of its own: the heaps of this one are shared by many threads, and may be full.
      await #expect(processExitsWith: .success, "nearly all of them are outside without a reserve") {
        Thread {
          let outside = (try? Self.shareOutside()) ?? 1
          exit(outside < 0.1 ? EXIT_SUCCESS : EXIT_FAILURE)
        }.start()
        try await Task.sleep(for: .seconds(60))
        exit(EXIT_FAILURE)
      }
    }
  }
#endif
