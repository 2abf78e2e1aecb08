#if canImport(Glibc)
  import CStallwatch
  import Foundation
  import Testing

  @Suite(
    "The heap of a thread of the monitor",
    .enabled(
      if: dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil,
      "a sanitizer has a malloc of its own, without such heaps"))
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

    /// The memory of this process that no file backs, in bytes, counted page by page.
    private static func anonymous() -> Int {
      let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
      return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }

    /// Whether `body` holds on a thread of a process of its own, where no other thread takes memory.
    private static func holds(_ body: @escaping @Sendable () -> Bool) async throws {
      Thread { exit(body() ? EXIT_SUCCESS : EXIT_FAILURE) }.start()
      try await Task.sleep(for: .seconds(60))
      exit(EXIT_FAILURE)
    }

    @Test("is backed only where it is used")
    func isSparse() async {
      await #expect(processExitsWith: .success, "a page for each piece that it is cut from is thirty-five") {
        try await Self.holds {
          let before = (Self.anonymous(), Self.anonymous()).1
          stallwatch_reserve_heap()
          return Self.anonymous() - before < 16 * 4_096
        }
      }
    }

    @Test("gives back what was used for a moment, also where small pieces lie between large ones")
    func givesBack() async {
      await #expect(processExitsWith: .success) {
        try await Self.holds {
          stallwatch_reserve_heap()
          let before = (Self.anonymous(), Self.anonymous()).1
          // As many sizes as SQLite takes for a schema and its statements, freed in another order.
          let pieces = (0..<2_500).map { place -> UnsafeMutableRawPointer? in
            let size = 24 + place * 7_919 % 1_000
            return malloc(size).map { memset($0, 1, size) }
          }
          let used = Self.anonymous() - before
          for place in pieces.indices { free(pieces[place * 2_741 % pieces.count]) }
          stallwatch_gather_heap()
          stallwatch_give_back_heap()
          let left = Self.anonymous() - before
          return used > 1_000_000 && left < used / 4
        }
      }
    }

    @Test("keeps its contents where it is in use")
    func keeps() async {
      await #expect(processExitsWith: .success) {
        try await Self.holds {
          stallwatch_reserve_heap()
          let pieces = (0..<400).map { [UInt8](repeating: UInt8($0 % 251), count: 100 + $0 * 37 % 30_000) }
          var holes = (0..<400).map { [UInt8](repeating: 1, count: 100 + $0 * 53 % 30_000) }
          holes.removeAll(where: { $0.count.isMultiple(of: 2) })
          stallwatch_gather_heap()
          stallwatch_give_back_heap()
          return pieces.enumerated().allSatisfy { place, bytes in bytes.allSatisfy { $0 == UInt8(place % 251) } }
            && holes.allSatisfy { $0.allSatisfy { $0 == 1 } }
        }
      }
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
