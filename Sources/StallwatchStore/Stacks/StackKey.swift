/// A stack as a dictionary's key. Its frames are mixed into one word before they are hashed: hashing them one by one, as
/// Swift does, shows in what the writer costs (`tools/bench/run store`).
struct StackKey: Hashable {
  let frames: [UInt64]

  func hash(into hasher: inout Hasher) {
    // FNV-1a's steps, by words instead of bytes. The shift brings high bits down, which a multiplication only carries up.
    var mixed: UInt64 = 0xcbf2_9ce4_8422_2325
    for frame in frames {
      mixed = (mixed ^ frame) &* 0x0000_0100_0000_01b3
      mixed ^= mixed >> 32
    }
    hasher.combine(mixed)
  }
}
