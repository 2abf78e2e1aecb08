#if os(Linux)
  import CStallwatch

  /// Reads this process's memory without ever faulting: what is not there, or no longer, reads as nil.
  enum SafeMemory {
    /// The value at an address.
    static func load<Value: BitwiseCopyable>(_ type: Value.Type, at address: UInt64) -> Value? {
      withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
        let size = MemoryLayout<Value>.size
        guard stallwatch_copy_memory(address, buffer.baseAddress, size) == size else { return nil }
        return buffer[0]
      }
    }

    /// As many bytes from an address on as are there, at most `count`.
    static func bytes(at address: UInt64, count: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
        used = stallwatch_copy_memory(address, buffer.baseAddress, count)
      }
    }
  }
#endif
