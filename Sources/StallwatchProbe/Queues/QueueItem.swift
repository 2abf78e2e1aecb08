import CHooks
import CStallwatch
import StallwatchCore
import Synchronization

/// An item of StallwatchHooks, or a ping: its words, of which the thread that enqueues or serves it writes each, and the
/// watchdog reads. They are atomic and lie in memory that stays, so that any thread may have one.
struct QueueItem: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer

  init(_ item: UnsafeMutablePointer<stallwatch_hooks_item>) { memory = UnsafeMutableRawPointer(item) }

  /// The items of the hooks that were ever used. Any thread.
  static var hooked: (first: UnsafeRawPointer?, count: Int) {
    var count = 0
    let first = stallwatch_hooked_items(&count)
    return (first.map { UnsafeRawPointer($0) }, count)
  }

  /// The item with this number among all; they lie in memory that stays.
  init(_ number: Int, from first: UnsafeRawPointer) {
    memory = UnsafeMutableRawPointer(mutating: first + number * MemoryLayout<stallwatch_hooks_item>.stride)
  }

  // Where the words lie, as the header of StallwatchHooks declares them (checked by ``isLaidOutAsDeclared``).
  private static let workOffset = 0
  private static let contextOffset = 8
  private static let queueOffset = 16
  private static let waitingOffset = 24
  private static let servedOffset = 32
  private static let threadOffset = 40
  private static let pointerOffset = 48
  private static let laneOffset = 56
  private static let turnOffset = 60
  private static let blockOffset = 61

  /// Whether the words lie where this type reads them.
  static var isLaidOutAsDeclared: Bool {
    typealias Item = MemoryLayout<stallwatch_hooks_item>
    return Item.offset(of: \.work) == workOffset && Item.offset(of: \.context) == contextOffset
      && Item.offset(of: \.is_block) == blockOffset && Item.offset(of: \.waits_for_turn) == turnOffset
      && Item.offset(of: \.queue) == queueOffset && Item.offset(of: \.waiting_since) == waitingOffset
      && Item.offset(of: \.served_since) == servedOffset && Item.offset(of: \.thread) == threadOffset
      && Item.offset(of: \.thread_pointer) == pointerOffset && Item.offset(of: \.lane) == laneOffset
  }

  @inline(__always)
  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (memory + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// What is to be called, the address that it gets, and whether that is a block's. They are only true of an item that
  /// waits before they are read and after.
  var work: (function: UInt64, context: UInt64, isBlock: Bool) {
    let isBlock = (memory + Self.blockOffset).assumingMemoryBound(to: Atomic<UInt8>.self)
    return (
      word(Self.workOffset).pointee.load(ordering: .relaxed), word(Self.contextOffset).pointee.load(ordering: .relaxed),
      isBlock.pointee.load(ordering: .relaxed) != 0
    )
  }

  /// Whether the thread ``threadID`` waits for the work to be done. The address that the work gets is then where that thread
  /// goes on. Only true of an item that waits or is served before it is read and after.
  var waitsForTurn: Bool {
    (memory + Self.turnOffset).assumingMemoryBound(to: Atomic<UInt8>.self).pointee.load(ordering: .relaxed) != 0
  }

  /// The queue's address, for comparison only.
  var queue: UInt64 { word(Self.queueOffset).pointee.load(ordering: .relaxed) }

  /// What ``waitingNs`` is where it was enqueued before the monitor came.
  static let fromBefore = Nanoseconds(stallwatch_hooks_waits_from_before)

  /// Since when it waits, on the monotonic clock; 0: it does not; ``fromBefore``.
  var waitingNs: Nanoseconds { word(Self.waitingOffset).pointee.load(ordering: .acquiring) }

  /// Since when it is served; 0: it is not.
  var servedNs: Nanoseconds { word(Self.servedOffset).pointee.load(ordering: .acquiring) }

  /// The thread that serves it, or served it last; or that waits for it.
  var threadID: UInt64 { word(Self.threadOffset).pointee.load(ordering: .relaxed) }
  var threadPointer: UInt64 { word(Self.pointerOffset).pointee.load(ordering: .relaxed) }

  /// The number of its lane in the table; nil: none.
  var lane: Int? {
    let number = (memory + Self.laneOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(
      ordering: .relaxed)
    return number == 0 ? nil : Int(number) - 1
  }

  // MARK: For the thread that enqueues or serves it

  func setLane(_ lane: Int?) {
    let number = lane.map { UInt32(truncatingIfNeeded: $0 + 1) } ?? 0
    (memory + Self.laneOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(number, ordering: .relaxed)
  }

  /// Gives it a lane, unless it has one. For the watchdog: what becomes of the item meanwhile has the last word.
  func adopt(_ lane: Int) {
    _ = (memory + Self.laneOffset).assumingMemoryBound(to: Atomic<UInt32>.self).pointee.compareExchange(
      expected: 0, desired: UInt32(truncatingIfNeeded: lane + 1), ordering: .relaxed)
  }

  /// Shows that it waits from now on. Ordered before the look at whether the watchdog is parked.
  func wait(from now: Nanoseconds) { word(Self.waitingOffset).pointee.store(now, ordering: .sequentiallyConsistent) }

  /// Shows that a thread serves it from now on.
  func begin(on thread: UInt64, at now: Nanoseconds) {
    word(Self.threadOffset).pointee.store(thread, ordering: .relaxed)
    word(Self.pointerOffset).pointee.store(stallwatch_thread_pointer(), ordering: .relaxed)
    word(Self.servedOffset).pointee.store(now, ordering: .releasing)
    word(Self.waitingOffset).pointee.store(0, ordering: .releasing)
  }

  /// Shows that something unknown is served from `now` on, by the thread that is known already.
  func serve(from now: Nanoseconds) { word(Self.servedOffset).pointee.store(now, ordering: .releasing) }

  /// Shows that it stands for something else from now on: for an actor that the same thread serves.
  func turn(to actor: UnsafeRawPointer, lane: Int, at now: Nanoseconds) {
    end()
    word(Self.queueOffset).pointee.store(UInt64(UInt(bitPattern: actor)), ordering: .relaxed)
    setLane(lane)
    serve(from: now)
  }

  /// Names the thread that serves it; `pointer` is where its control block lies, 0: not known.
  func setThread(_ thread: UInt64, pointer: UInt64) {
    word(Self.pointerOffset).pointee.store(pointer, ordering: .relaxed)
    word(Self.threadOffset).pointee.store(thread, ordering: .relaxed)
  }

  /// Shows that it does not wait any more.
  func stopWaiting() { word(Self.waitingOffset).pointee.store(0, ordering: .releasing) }

  /// Shows that it is over.
  func end() { word(Self.servedOffset).pointee.store(0, ordering: .releasing) }
}
