/// A bounded queue from a loop's thread to the watchdog: one writer, one reader, no lock, no allocation.
package struct SharedQueue<Element: BitwiseCopyable>: @unchecked Sendable {
  /// The most elements it holds.
  package static var capacity: Int { 1_024 }
  /// The zeroed memory that a queue takes, in bytes.
  static var byteCount: Int { QueueFields.byteCount + capacity * MemoryLayout<Element>.stride }

  private let fields: UnsafeMutablePointer<QueueFields>
  private let elements: UnsafeMutablePointer<Element>

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  @inline(__always)
  init(memory: UnsafeMutableRawPointer) {
    fields = QueueFields.bind(memory)
    elements = (memory + QueueFields.byteCount).bindMemory(to: Element.self, capacity: Self.capacity)
  }

  /// How many elements did not fit.
  package var lost: UInt64 { fields.pointee.lost.load() }

  /// Adds an element; false, and counted as lost, when the queue is full. For the loop's thread.
  @discardableResult
  func push(_ element: Element) -> Bool {
    let written = fields.pointee.written.load()
    guard written &- fields.pointee.read.acquire() < UInt64(Self.capacity) else {
      fields.pointee.lost.add(1)
      return false
    }
    elements[Int(written % UInt64(Self.capacity))] = element
    fields.pointee.written.release(written &+ 1)
    return true
  }

  /// Removes and returns the oldest element; nil when the queue is empty. For the watchdog.
  package func pop() -> Element? {
    let read = fields.pointee.read.load()
    guard read != fields.pointee.written.acquire() else { return nil }
    let element = elements[Int(read % UInt64(Self.capacity))]
    fields.pointee.read.release(read &+ 1)
    return element
  }

  /// Removes and returns what was added since the last call, oldest first: at most ``capacity`` elements, also while
  /// the loop's thread goes on adding. For the watchdog.
  package func drain() -> [Element] {
    var drained: [Element] = []
    while drained.count < Self.capacity, let element = pop() { drained.append(element) }
    return drained
  }

  /// Empties the queue and its counters, so that another loop can use the memory.
  func clear() {
    // Does not write to the page of an unused queue, which would then be backed.
    if fields.pointee.written.load() != 0 { QueueFields.clear(fields) }
  }
}

private struct QueueFields: ~Copyable, SharedFields {
  let written: SharedWord
  let read: SharedWord
  let lost: SharedWord
}
