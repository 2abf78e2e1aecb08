#if os(Linux)
  import CStallwatch

  /// Reads this process's memory without ever faulting: memory that is not mapped, or no longer, reads as nil.
  enum SafeMemory {
    /// The value at an address; nil when not all of it is readable.
    static func load<Value: BitwiseCopyable>(_ type: Value.Type, at address: UInt64) -> Value? {
      withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
        let size = MemoryLayout<Value>.size
        guard stallwatch_copy_memory(address, buffer.baseAddress, size) == size else { return nil }
        return buffer[0]
      }
    }

    /// Whether these bytes lie at an address.
    static func holds(_ bytes: [UInt8], at address: UInt64) -> Bool {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { buffer in
        stallwatch_copy_memory(address, buffer.baseAddress, bytes.count) == bytes.count && buffer.elementsEqual(bytes)
      }
    }

    /// The readable bytes from an address on, at most `count`.
    static func bytes(at address: UInt64, count: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
        used = stallwatch_copy_memory(address, buffer.baseAddress, count)
      }
    }
  }
#endif
