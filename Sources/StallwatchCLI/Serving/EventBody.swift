import FlyingFox
import FlyingSocks

/// Events as the body of an answer that does not end.
struct EventBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let events: AsyncStream<String>

  func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var events: AsyncStream<String>.Iterator
    private var rest: ArraySlice<UInt8> = []

    init(events: AsyncStream<String>.Iterator) { self.events = events }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let event = await events.next() else { return nil }
        rest = ArraySlice(event.utf8)
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
