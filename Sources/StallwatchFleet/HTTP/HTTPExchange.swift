import CCurl
import Synchronization

/// The state of one exchange, for libcurl's callbacks. They run on the thread that waits for the answer; other threads
/// use ``isCancelled`` alone.
final class HTTPExchange {
  private(set) var answer = HTTPAnswer()
  /// Why this side ended the exchange.
  private(set) var failure: (any Error)?
  private var room: Int
  private let take: ((UnsafeRawBufferPointer) throws -> Void)?
  private let cancellation: HTTPCancellation

  /// The most headers, and the most bytes of the message of a server that refuses a request.
  private static let mostHeaders = 200
  private static let mostComplaint = 64 << 10

  init(
    mostBytes: Int, cancellation: HTTPCancellation, take: ((UnsafeRawBufferPointer) throws -> Void)?
  ) {
    room = mostBytes
    self.cancellation = cancellation
    self.take = take
  }

  var goesOn: Bool { !cancellation.isCancelled }

  /// Takes a line of the header. Another status line begins another answer, such as the one after 100 (Continue).
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      answer = HTTPAnswer()
      answer.status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    } else if let colon = text.firstIndex(of: ":"), answer.headers.count < Self.mostHeaders {
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      answer.headers[text[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
    }
    return goesOn
  }

  /// Takes a piece of the body.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard goesOn else { return false }
    guard answer.isSuccess else {
      // A long error message is cut short, and is no failure.
      answer.body += bytes.prefix(max(Self.mostComplaint - answer.body.count, 0))
      return answer.body.count < Self.mostComplaint
    }
    guard bytes.count <= room else {
      failure = HTTPError.tooLong
      return false
    }
    room -= bytes.count
    do {
      if let take { try take(bytes) } else { answer.body += bytes }
      return true
    } catch {
      failure = error
      return false
    }
  }
}

/// Cancels an exchange, from any thread.
final class HTTPCancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }
  func cancel() { flag.store(true, ordering: .relaxed) }
}
