import CCurl
import Synchronization

/// One exchange as libcurl's callbacks see it. They are called on the thread that waits for the answer; only
/// ``isCancelled`` is touched by others.
final class HTTPExchange {
  private(set) var answer = HTTPAnswer()
  /// Why the exchange was ended from here.
  private(set) var failure: (any Error)?
  private var room: Int
  private let take: ((UnsafeRawBufferPointer) throws -> Void)?
  private let cancellation: HTTPCancellation

  /// Of headers, and of what a server says where it does not do what was asked.
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

  /// Takes a line of the head. Another status line begins the head of another answer, such as after 100 (Continue).
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
      // A complaint is cut, not refused.
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

/// Tells an exchange from any thread that nobody waits for it.
final class HTTPCancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }
  func cancel() { flag.store(true, ordering: .relaxed) }
}
