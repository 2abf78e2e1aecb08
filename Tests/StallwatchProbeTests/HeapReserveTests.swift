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

    @Test("serves what the thread takes from then on without growing")
    func grows() async throws {
      let outside = try await withCheckedThrowingContinuation { continuation in
        Thread {
          continuation.resume(
            with: Result {
              stallwatch_reserve_heap()
              let reserved = try Self.writable()
              // Half of it: other threads may share the heap. One piece or other may lie in what it took to read the file.
              let pieces = (0..<Int(STALLWATCH_HEAP_RESERVE) / 2 / 1_024).map { _ in malloc(1_024) }
              defer { for piece in pieces { free(piece) } }
              let outside = pieces.count { piece in !reserved.contains { $0.contains(UInt(bitPattern: piece)) } }
              return Double(outside) / Double(pieces.count)
            })
        }.start()
      }
      #expect(outside < 0.1, "nearly all of them without a reserve")
    }
  }
#endif
