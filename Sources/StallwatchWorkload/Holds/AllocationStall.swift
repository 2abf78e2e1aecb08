import Foundation

/// Allocates, touches and frees memory in blocks of many sizes for `length`.
@inline(never)
func allocationStall(_ length: Nanoseconds) {
  let end = MonotonicClock.now + length
  var size = 16
  while MonotonicClock.now < end {
    var blocks: [UnsafeMutableRawPointer] = []
    for _ in 0..<64 {
      size = size * 5 % 65_521 + 16
      let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      block.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self)
      block.storeBytes(of: 1, toByteOffset: size - 1, as: UInt8.self)
      blocks.append(block)
    }
    blocks.forEach { $0.deallocate() }
  }
}
