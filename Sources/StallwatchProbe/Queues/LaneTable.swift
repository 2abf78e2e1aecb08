import StallwatchCore
import StallwatchLibc
import Synchronization

/// The lanes that Dispatch's queues of this process make, or those that are pinged, by label: queues come and go, and their
/// label tells which work they serve. Watched threads find and add lanes without a lock. Lanes never go.
struct LaneTable: @unchecked Sendable {
  /// The most lanes. Each takes some 20 KB once it serves work.
  static let mostLanes = 256
  /// The most labels that have lanes of their own: a server may name a queue for each connection. Queues with further
  /// ones share a lane, and so do actors and pools. Threads that add lanes at the same time may add some more.
  static let mostOwnLanes = mostLanes - 32
  /// Half of the places stay free, so that a lane is found after a few.
  private static let places = 2 * mostLanes

  /// The hash of each place's label and kind; 0: the place is free.
  private let hashes: UnsafeMutablePointer<Atomic<UInt64>>
  /// The places in the order in which they were taken, each plus 1.
  private let order: UnsafeMutablePointer<Atomic<UInt64>>
  private let taken: UnsafeMutablePointer<Atomic<UInt64>>
  private let regions: UnsafeMutableRawPointer

  /// Nil when there is no address space. The memory is never given back: a thread may be using it at any time.
  init?() {
    let words = Self.places + Self.mostLanes + 1
    guard let memory = ZeroedMemory.allocate(byteCount: words * MemoryLayout<UInt64>.stride),
      let regions = ZeroedMemory.allocate(byteCount: Self.places * LaneRegion.byteCount)
    else { return nil }
    hashes = memory.bindMemory(to: Atomic<UInt64>.self, capacity: words)
    order = hashes + Self.places
    taken = order + Self.mostLanes
    self.regions = regions
  }

  /// The region of a place that is taken.
  subscript(place: Int) -> LaneRegion { LaneRegion(memory: regions + place &* LaneRegion.byteCount) }

  /// How many places were taken so far, perhaps more than ``mostLanes``.
  var count: Int { Int(taken.pointee.load(ordering: .acquiring)) }

  /// The place that was taken as number `number`, from 0; nil when its region is not ready yet.
  func place(_ number: Int) -> Int? {
    guard number < Self.mostLanes else { return nil }
    let place = Int(order[number].load(ordering: .acquiring)) - 1
    return place >= 0 && self[place].isReady ? place : nil
  }

  /// The place of the lane with a label, or of the one that labels without room share; nil when there is no room for
  /// that either. `now` is read for a lane that is new. Any thread. Some 30 ns, and twice as much for a shared lane.
  func find(_ label: UnsafePointer<CChar>?, _ kind: LaneKind, at now: @autoclosure () -> Nanoseconds) -> Int? {
    let text = UnsafeRawBufferPointer(start: label, count: label.map { strnlen($0, LaneRegion.labelLength) } ?? 0)
    if Self.isOfNamelessOperationQueue(text) { return find(Self.operationQueue, kind, at: now()) }
    return find(text, kind, among: Self.mostOwnLanes, at: now()) ?? find(Self.sharedLabel(kind), kind, at: now())
  }

  private func find(_ label: StaticString, _ kind: LaneKind, at now: @autoclosure () -> Nanoseconds) -> Int? {
    label.withUTF8Buffer { find(UnsafeRawBufferPointer($0), kind, among: Self.mostLanes, at: now()) }
  }

  private static let operationQueue: StaticString = "OperationQueue"

  /// Whether Foundation made the label, of the address of an `OperationQueue` without a name. An address says nothing
  /// to anybody, and is another one in the next run.
  private static func isOfNamelessOperationQueue(_ label: UnsafeRawBufferPointer) -> Bool {
    let beginning: StaticString = "NSOperationQueue 0x"
    guard label.count >= beginning.utf8CodeUnitCount, let start = label.baseAddress else { return false }
    return memcmp(start, beginning.utf8Start, beginning.utf8CodeUnitCount) == 0
  }

  private static func sharedLabel(_ kind: LaneKind) -> StaticString {
    switch kind {
    case .pool: "other pools"
    case .actor: "other actors"
    default: "other queues"
    }
  }

  @inline(__always)
  private func find(
    _ text: UnsafeRawBufferPointer, _ kind: LaneKind, among most: Int, at now: @autoclosure () -> Nanoseconds
  ) -> Int? {
    let hash = Self.hash(text, kind)
    let first = Int(truncatingIfNeeded: hash >> 32)
    for step in 0..<Self.places {
      let place = (first &+ step) & (Self.places - 1)
      var known = hashes[place].load(ordering: .acquiring)
      if known == 0 {
        guard count < most else { return nil }
        let (isTaken, found) = hashes[place].compareExchange(
          expected: 0, desired: hash, ordering: .acquiringAndReleasing)
        if isTaken { return add(place, text, kind, at: now()) }
        known = found
      }
      if known == hash { return place }
    }
    return nil
  }

  private func add(_ place: Int, _ text: UnsafeRawBufferPointer, _ kind: LaneKind, at now: Nanoseconds) -> Int {
    self[place].begin(label: text, kind, at: now)
    let number = Int(taken.pointee.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue)
    // Threads that add lanes at the same time may add some beyond the limit; these are not listed.
    if number < Self.mostLanes { order[number].store(UInt64(place + 1), ordering: .releasing) }
    return place
  }

  /// FNV-1a by words and by the length, never 0. The last word may overlap the one before it.
  private static func hash(_ text: UnsafeRawBufferPointer, _ kind: LaneKind) -> UInt64 {
    var hash: UInt64 =
      switch kind {
      case .pool: 0xcbf2_9ce4_8422_2325
      case .actor: 0x6c62_272e_07bb_0142
      default: 0x9ae1_6a3b_2f90_404f
      }
    func add(_ word: UInt64) {
      hash = (hash ^ word) &* 0x0100_0000_01b3
      // The product's upper bits hang on all of the word, its lower ones on the word's lower ones alone.
      hash ^= hash >> 32
    }
    let length = MemoryLayout<UInt64>.size
    if text.count >= length {
      func word(at place: Int) -> UInt64 { text.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian }
      for place in stride(from: 0, to: text.count - length, by: length) { add(word(at: place)) }
      add(word(at: text.count - length))
    } else {
      for byte in text { add(UInt64(byte)) }
    }
    add(UInt64(text.count))
    return (hash ^ hash >> 29) | 1
  }
}
