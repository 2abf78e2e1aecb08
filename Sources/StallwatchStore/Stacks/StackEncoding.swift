/// A stack's program counters as bytes: each as a ``VariableLengthInteger`` of its difference, modulo 2^64, from the
/// previous one (the first from 0). Neighbours in a stack often lie in one image, so a frame takes three to four bytes.
enum StackEncoding {
  /// Encodes a stack, given leaf first.
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

  /// Decodes a stack. Throws if it is cut short or has more than ``SampleLimits/mostFrames`` frames.
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

  /// The FNV-1a hash of a stack's bytes (Fowler, Noll, Vo; the parameters for 64 bits): the same in every process,
  /// unlike Swift's own hashes.
  static func hash(_ bytes: [UInt8]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int64(bitPattern: hash)
  }
}
