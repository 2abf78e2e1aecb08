import Foundation
import StallwatchLibc
import Synchronization

/// A server on loopback that answers each request as its script says, and keeps what it was asked.
///
/// Each connection has a thread of its own. It reads heads and bodies of a known length.
final class ScriptedServer: Sendable {
  struct Request: Sendable {
    /// The first line's address, such as `/?database=default`.
    var address = ""
    /// Names in lower case.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    /// The query's parameters, unescaped.
    var parameters: [String: String] {
      let items = URLComponents(string: "http://host" + address)?.queryItems ?? []
      return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }
  }

  /// What a server does with a request.
  enum Answer: Sendable {
    /// As ClickHouse answers.
    case clickHouse(status: Int = 200, String = "")
    /// These bytes, and the end.
    case raw([UInt8])
    /// The first bytes, and the second again and again, for as long as somebody reads.
    case endless([UInt8], [UInt8])
    /// Nothing, until the client goes.
    case nothing
  }

  let port: UInt16
  private let listener: Int32
  private let isClosed = Mutex(false)
  private let asked = Mutex<[Request]>([])
  private let script: @Sendable (Int, Request) -> Answer

  var url: String { "http://127.0.0.1:\(port)/" }
  var requests: [Request] { asked.withLock { $0 } }

  /// Answers the request of a number, from 0 on, by `script`.
  init(_ script: @escaping @Sendable (Int, Request) -> Answer) throws {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw CocoaError(.fileNoSuchFile) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0, let server = self else { break }
        Thread.detachNewThread { server.serve(connection) }
      }
      // Only here, when nobody can take it for another socket of this number.
      StallwatchLibc.close(descriptor)
    }
  }

  deinit { close() }

  /// Takes no more connections: whoever asks is refused.
  func close() {
    isClosed.withLock { isClosed in
      // The second time, the number may be another socket's.
      if !isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
      isClosed = true
    }
  }

  private func serve(_ connection: Int32) {
    defer { StallwatchLibc.close(connection) }
    var buffer: [UInt8] = []
    while let request = Self.read(from: connection, &buffer) {
      let number = asked.withLock {
        $0.append(request)
        return $0.count - 1
      }
      switch script(number, request) {
      case .clickHouse(let status, let text):
        let head =
          "HTTP/1.1 \(status) Status\r\nX-ClickHouse-Server-Display-Name: x\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
        guard Self.write(Array((head + text).utf8), to: connection) else { return }
      case .raw(let bytes):
        _ = Self.write(bytes, to: connection)
        return
      case .endless(let first, let bytes):
        guard Self.write(first, to: connection) else { return }
        while Self.write(bytes, to: connection) {}
        return
      case .nothing:
        var rest = [UInt8](repeating: 0, count: 1)
        while recv(connection, &rest, 1, 0) > 0 {}
        return
      }
    }
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func read(from connection: Int32, _ buffer: inout [UInt8]) -> Request? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let head = buffer.firstRange(of: end) {
        var request = Request()
        let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
        request.address = lines.first.map { String($0.split(separator: " ").dropFirst().first ?? "") } ?? ""
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          guard parts.count == 2 else { continue }
          request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
        if buffer.count >= head.upperBound + length {
          request.body = Array(buffer[head.upperBound..<(head.upperBound + length)])
          buffer.removeFirst(head.upperBound + length)
          return request
        }
      }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return nil }
      buffer += piece[..<count]
    }
  }
}
