extension Array {
  /// Makes room for `count` elements, and for a quarter more, at least 16 bytes: an array that is made anew for each
  /// element leaves holes in the heap, and one that doubles its room leaves half of it empty. A writer keeps thousands
  /// of arrays that grow by little at a time.
  mutating func makeRoom(for count: Int) {
    guard count > capacity else { return }
    reserveCapacity(count + Swift.max(count / 4, 16 / MemoryLayout<Element>.stride, 1))
  }

  /// Gives back the room of elements that have gone, where it is as much as the others take, and more than a few.
  mutating func giveBackRoom() {
    // Copies the elements: an array made of another array would share its memory, and keep the room.
    if capacity > 2 * Swift.max(count, Self.few) { self = withUnsafeBufferPointer { Array($0) } }
  }

  private static var few: Int { 8 }
}
