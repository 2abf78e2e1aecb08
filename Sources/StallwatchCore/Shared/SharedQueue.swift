/// A bounded queue from a loop's thread to the watchdog: one writer, one reader, no lock, no allocation.
///
/// It begins again at its first place whenever the reader has taken everything. So memory backs as many places as
/// elements ever waited, and the first few lie beside what is used anyway.
package struct SharedQueue<Element: BitwiseCopyable>: @unchecked Sendable {
  /// The most elements it holds.
  package static var capacity: Int { 1_024 }
  /// How many places lie near: the watchdog takes what one look's time has added, which is a few elements.
  private static var nearCapacity: Int { 8 }
  /// The zeroed memory that a queue's words and its first places take, and that for the other places, in bytes.
  static var nearByteCount: Int { QueueFields.byteCount + nearCapacity * MemoryLayout<Element>.stride }
  static var farByteCount: Int { (capacity - nearCapacity) * MemoryLayout<Element>.stride }

  private let fields: UnsafeMutablePointer<QueueFields>
  private let near: UnsafeMutablePointer<Element>
  private let far: UnsafeMutablePointer<Element>

  /// Takes ``nearByteCount`` and ``farByteCount`` zeroed bytes, aligned to 8, which must never move or be freed while
  /// in use.
  @inline(__always)
  init(near memory: UnsafeMutableRawPointer, far: UnsafeMutableRawPointer) {
    fields = QueueFields.bind(memory)
    near = (memory + QueueFields.byteCount).bindMemory(to: Element.self, capacity: Self.nearCapacity)
    self.far = far.bindMemory(to: Element.self, capacity: Self.capacity - Self.nearCapacity)
  }

  /// The place of the element with this number.
  private func place(of number: UInt64) -> UnsafeMutablePointer<Element> {
    let place = Int((number &- fields.pointee.first.load()) % UInt64(Self.capacity))
    return place < Self.nearCapacity ? near + place : far + (place - Self.nearCapacity)
  }

  /// How many elements did not fit.
  package var lost: UInt64 { fields.pointee.lost.load() }

  /// Adds an element; false, and counted as lost, when the queue is full. For the loop's thread.
  @discardableResult
  func push(_ element: Element) -> Bool {
    let written = fields.pointee.written.load()
    let waiting = written &- fields.pointee.read.acquire()
    guard waiting < UInt64(Self.capacity) else {
      fields.pointee.lost.add(1)
      return false
    }
    // The reader looks at it only while an element waits.
    if waiting == 0 { fields.pointee.first.store(written) }
    place(of: written).pointee = element
    fields.pointee.written.release(written &+ 1)
    return true
  }

  /// Whether no element waits. For the watchdog.
  var isEmpty: Bool { fields.pointee.read.load() == fields.pointee.written.acquire() }

  /// Removes and returns the oldest element; nil when the queue is empty. For the watchdog.
  package func pop() -> Element? {
    let read = fields.pointee.read.load()
    guard read != fields.pointee.written.acquire() else { return nil }
    let element = place(of: read).pointee
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
  /// The number of the element at the first place.
  let first: SharedWord
}
