/// A stack's program counters as bytes: each by its difference, modulo 2^64, from the one before it (the first from 0),
/// as a ``VariableLengthInteger``. Neighbours in a stack are often in one image, so a frame takes three to four bytes.
enum StackEncoding {
  /// The bytes of a stack.
  static func encode(_ frames: some Collection<UInt64>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(frames.count * 4 + 8)
    var previous: UInt64 = 0
    for frame in frames {
      VariableLengthInteger.append(Int64(bitPattern: frame &- previous), to: &bytes)
      previous = frame
    }
    return bytes
  }

  /// The stack in `bytes`, of at most ``SampleLimits/mostFrames``.
  static func decode(_ bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) -> [UInt64] {
    var frames: [UInt64] = []
    var frame: UInt64 = 0
    var position = 0
    while position < bytes.count {
      guard frames.count < SampleLimits.mostFrames else { throw .badContents("a stack has too many frames") }
      guard let difference = VariableLengthInteger.read(bytes, at: &position) else {
        throw .badContents("a stack is cut short")
      }
      frame &+= UInt64(bitPattern: difference)
      frames.append(frame)
    }
    return frames
  }

  /// FNV-1a (Fowler, Noll, Vo; the parameters for 64 bits) of a stack's bytes: the same in every process, unlike
  /// Swift's own hashes.
  static func hash(_ bytes: [UInt8]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int64(bitPattern: hash)
  }
}
