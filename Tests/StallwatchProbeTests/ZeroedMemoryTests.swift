import Foundation
import Synchronization
import Testing

@testable import StallwatchProbe

@Suite("Memory for loops")
struct ZeroedMemoryTests {
  @Test("is zeroed, aligned to a page and nobody else's, also where threads take more than a block at once")
  func pieces() throws {
    let (threads, each, bytes) = (8, 250, 140_000)
    let pieces = Mutex<[UInt]>([])
    let ended = DispatchSemaphore(value: 0)
    for thread in 0..<threads {
      Thread {
        for number in 0..<each {
          guard let memory = ZeroedMemory.allocate(byteCount: bytes) else { continue }
          let words = memory.bindMemory(to: UInt.self, capacity: bytes / 8)
          let isZeroed = words[0] == 0 && words[bytes / 8 - 1] == 0
          words[0] = UInt(thread + 1)
          words[bytes / 8 - 1] = UInt(number + 1)
          if isZeroed { pieces.withLock { $0.append(UInt(bitPattern: memory)) } }
        }
        ended.signal()
      }.start()
    }
    let watchdog = Atomic<Bool>(true)
    Thread {
      while watchdog.load(ordering: .relaxed) { ZeroedMemory.prepare() }
      ended.signal()
    }.start()
    for _ in 0..<threads { ended.wait() }
    watchdog.store(false, ordering: .relaxed)
    ended.wait()
    let places = pieces.withLock { $0 }.sorted()
    #expect(places.count == threads * each)
    #expect(places.allSatisfy { $0 % UInt(getpagesize()) == 0 })
    #expect(zip(places, places.dropFirst()).allSatisfy { $0 + UInt(bytes) <= $1 })
  }

  @Test("has room for what is larger than a block is cut for, and none where there is no address space")
  func sizes() throws {
    let large = try #require(ZeroedMemory.allocate(byteCount: 512 << 20))
    large.storeBytes(of: 1, toByteOffset: (512 << 20) - 8, as: UInt.self)
    #expect(ZeroedMemory.allocate(byteCount: 1 << 56) == nil)
  }

  @Test("holds nothing but zeros once its pages were given back, and holds what is written then")
  func givenBack() throws {
    let bytes = 200_000
    let words = try #require(ZeroedMemory.allocate(byteCount: bytes)).bindMemory(to: UInt.self, capacity: bytes / 8)
    for round in 0..<3 as Range<UInt> {
      for word in 0..<bytes / 8 { words[word] = round + 1 }
      #if !canImport(Glibc)
        for word in 0..<bytes / 8 { words[word] = 0 }
      #endif
      ZeroedMemory.giveBack(words, byteCount: bytes)
      #expect((0..<bytes / 8).allSatisfy { words[$0] == 0 })
    }
  }
}
