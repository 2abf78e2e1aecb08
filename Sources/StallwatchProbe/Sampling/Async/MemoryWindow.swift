#if os(Linux)
  import CStallwatch

  /// Reads words of memory, and keeps what lies around the last one: the contexts and the task that lead from one to the
  /// other mostly lie together, callers before those that they call.
  final class MemoryWindow {
    /// In words.
    private static let size = 64
    private let words = UnsafeMutablePointer<UInt64>.allocate(capacity: size)
    @exclusivity(unchecked) private var start: UInt64 = 0
    @exclusivity(unchecked) private var count: UInt64 = 0

    deinit { words.deallocate() }

    /// Forgets what was read.
    func forget() { count = 0 }

    /// The word at an address; nil where it cannot be read, or lies across two.
    func word(at address: UInt64) -> UInt64? {
      guard address % 8 == 0 else { return nil }
      if let known = known(address) { return known }
      // The word after it is mostly asked for next.
      read(from: address &- UInt64(Self.size - 2) * 8, count: Self.size)
      if let known = known(address) { return known }
      read(from: address, count: 2)
      return known(address)
    }

    private func known(_ address: UInt64) -> UInt64? {
      let place = (address &- start) / 8
      return place < count ? words[Int(place)] : nil
    }

    private func read(from address: UInt64, count: Int) {
      start = address
      self.count = UInt64(stallwatch_copy_memory(address, words, count * 8) / 8)
    }
  }
#endif
