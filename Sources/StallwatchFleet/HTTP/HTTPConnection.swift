import CCurl
import Dispatch
import StallwatchLibc
import Synchronization

/// A connection for exchanges with servers over HTTP and HTTPS, kept open between them.
///
/// Exchanges run one after the other, on a thread of Dispatch's: a slow server delays only its own caller. Redirections
/// are not followed, because they might carry a password elsewhere. Proxies are those of the environment.
package final class HTTPConnection: Sendable {
  /// libcurl's connection, made at the first exchange.
  private struct Handle: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init?() {
      guard let pointer = stallwatch_http_open() else { return nil }
      self.pointer = pointer
    }

    deinit { stallwatch_http_close(pointer) }
  }

  private let queue = DispatchQueue(label: "stallwatch.http")
  private let handle = Mutex<Handle?>(nil)

  package init() {}

  /// Sends a request and waits for the whole answer. With `take`, the body of a successful answer goes there piece by
  /// piece, on the exchange's thread, and is not kept; the server waits while `take` works.
  ///
  /// Throws ``HTTPError``, what `take` throws, and `CancellationError` within about a second of the task's cancellation.
  package func answer(
    to request: HTTPRequest, take: (@Sendable (UnsafeRawBufferPointer) throws -> Void)? = nil
  ) async throws -> HTTPAnswer {
    let cancellation = HTTPCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          continuation.resume(with: Result { try self.exchange(request, cancellation, take) })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func exchange(
    _ request: HTTPRequest, _ cancellation: HTTPCancellation,
    _ take: (@Sendable (UnsafeRawBufferPointer) throws -> Void)?
  ) throws -> HTTPAnswer {
    if cancellation.isCancelled { throw CancellationError() }
    return try handle.withLock { handle in
      if handle == nil { handle = Handle() }
      guard let pointer = handle?.pointer else { throw HTTPError.noLibrary }
      let exchange = HTTPExchange(mostBytes: request.mostBytes, cancellation: cancellation, take: take)
      var outcome = Self.perform(request, exchange, on: pointer)
      if outcome.code == 0 { return exchange.answer }
      if let failure = exchange.failure { throw failure }
      if cancellation.isCancelled { throw CancellationError() }
      // An error message that was cut short.
      let isComplaint = exchange.answer.status != 0 && !exchange.answer.isSuccess
      if outcome.code == Code.notTaken, isComplaint { return exchange.answer }
      throw Code.error(outcome.code, reason: withUnsafeBytes(of: &outcome.reason) { Self.text($0) })
    }
  }

  private static func perform(
    _ request: HTTPRequest, _ exchange: HTTPExchange, on connection: OpaquePointer
  ) -> stallwatch_http_outcome {
    // Without this, curl sends a longer body only after the server's permission (100), which some servers never give.
    let lines = request.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
    let texts = lines.map { strdup($0) }
    defer { for text in texts { free(text) } }
    var asked = stallwatch_http_request()
    asked.connect_milliseconds = milliseconds(request.connectPatience)
    asked.total_milliseconds = milliseconds(request.patience)
    asked.context = Unmanaged.passUnretained(exchange).toOpaque()
    asked.take = { context, bytes, count in
      HTTPConnection.exchange(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? 1 : 0
    }
    asked.take_header = { context, bytes, count in
      HTTPConnection.exchange(context).takeHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? 1 : 0
    }
    asked.goes_on = { HTTPConnection.exchange($0).goesOn ? 1 : 0 }
    // SAFETY: everything that the request points to outlives the call, which keeps none of it.
    return withExtendedLifetime(exchange) {
      request.url.withCString { url in
        withText(request.certificates) { certificates in
          texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { headers in
            asked.url = url
            asked.certificates = certificates
            asked.headers = headers.baseAddress
            asked.header_count = headers.count
            guard let body = request.body else { return stallwatch_http_exchange(connection, &asked) }
            return body.withUnsafeBytes { bytes in
              // An empty body has no address, but is a body all the same.
              asked.body = bytes.baseAddress ?? UnsafeRawPointer(url)
              asked.body_length = bytes.count
              return stallwatch_http_exchange(connection, &asked)
            }
          }
        }
      }
    }
  }

  private static func exchange(_ context: UnsafeMutableRawPointer?) -> HTTPExchange {
    Unmanaged<HTTPExchange>.fromOpaque(context!).takeUnretainedValue()
  }

  private static func withText<Value>(_ text: String?, _ work: (UnsafePointer<CChar>?) -> Value) -> Value {
    guard let text else { return work(nil) }
    return text.withCString(work)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// At least 1, because 0 would mean no limit.
  private static func milliseconds(_ duration: Duration) -> Int {
    max(Int(duration / .milliseconds(1)), 1)
  }

  /// libcurl's codes (libcurl-errors(3)).
  private enum Code {
    /// What a callback refused.
    static let notTaken: Int32 = 23

    static func error(_ code: Int32, reason: String) -> HTTPError {
      switch code {
      case 1, 3: .unusableAddress(reason: reason)
      case 5, 6, 7: .unreachable(reason: reason)
      case 28: .tooSlow
      case 35, 51, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91, 98: .untrusted(reason: reason)
      default: .brokenOff(reason: reason)
      }
    }
  }
}
