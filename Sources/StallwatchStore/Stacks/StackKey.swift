/// A stack as a dictionary's key. It mixes its frames into one word before hashing: to hash them one by one, as Swift
/// does, shows in the writer's cost (`tools/bench/run store`).
struct StackKey: Hashable {
  let frames: [UInt64]

  func hash(into hasher: inout Hasher) {
    // FNV-1a's steps, by words instead of bytes. The shift brings high bits down; multiplying only carries bits up.
    var mixed: UInt64 = 0xcbf2_9ce4_8422_2325
    for frame in frames {
      mixed = (mixed ^ frame) &* 0x0000_0100_0000_01b3
      mixed ^= mixed >> 32
    }
    hasher.combine(mixed)
  }
}
