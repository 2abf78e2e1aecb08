import FlyingSocks
import Foundation

/// One connection: a request, its answer, and the end. Bounds its cost: the bytes of the request, the time for the
/// request to arrive, and the time for the client to take a part of the answer.
struct PageConnection: Sendable {
  private let socket: AsyncSocket

  /// The time for a request, which comes in one piece.
  private static let requestPatience = Duration.seconds(10)
  /// The time for a part of an answer. No client on this machine takes longer, unless it is stopped.
  private static let answerPatience = Duration.seconds(30)
  private static let answerPart = 65_536

  /// Takes an accepted connection. `serve` closes it.
  init(_ socket: AsyncSocket) { self.socket = socket }

  /// Answers one request.
  func serve(_ answer: (RequestHead) async -> PageAnswer) async {
    defer { try? socket.close() }
    do {
      let answer = if let head = try await request() { await answer(head) } else { PageAnswer.nothing }
      try await write(answer.head)
      switch answer.body {
      case .whole(let text): try await write(text)
      case .events(let events): for await event in events { try await write(Data(event.utf8)) }
      }
    } catch {
      // The client is gone, or was too slow.
    }
  }

  /// Reads the request; nil where the bytes are not a valid request.
  private func request() async throws -> RequestHead? {
    try await within(Self.requestPatience) {
      var bytes: [UInt8] = []
      while bytes.count < RequestHead.longest {
        let seen = bytes.count
        bytes += try await socket.read(atMost: RequestHead.longest - seen)
        if let length = RequestHead.length(in: bytes, seen: seen) { return RequestHead(bytes[..<length]) }
      }
      return nil
    }
  }

  private func write(_ data: Data) async throws {
    var place = data.startIndex
    while place < data.endIndex {
      let part = data[place..<min(place + Self.answerPart, data.endIndex)]
      try await within(Self.answerPatience) { try await socket.write(part) }
      place = part.endIndex
    }
  }
}
