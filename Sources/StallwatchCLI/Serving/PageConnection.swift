import FlyingSocks
import Foundation

/// One connection: a request, its answer, and its end. What it may cost is bounded: the bytes of the request, the time in
/// which it has to come, and the time in which a part of the answer has to be taken.
struct PageConnection: Sendable {
  private let socket: AsyncSocket

  /// A request comes in one piece.
  private static let requestPatience = Duration.seconds(10)
  /// Nobody on this machine takes longer for a part of an answer, unless it is stopped.
  private static let answerPatience = Duration.seconds(30)
  private static let answerPart = 65_536

  /// A connection that was accepted. It is closed where `serve` ends.
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
      // It is gone, or it was too slow.
    }
  }

  /// The request; nil where what came is none.
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
