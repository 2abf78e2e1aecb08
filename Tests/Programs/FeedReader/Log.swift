import Foundation

/// Writes to a pipe whose reader is slow.
final class Log: Sendable {
  static let shared = Log()

  private let pipe: Pipe

  private init() {
    let pipe = Pipe()
    self.pipe = pipe
    // Little room, so that writers wait for the reader.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, 1031, 4096)
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 4096)
      while read(pipe.fileHandleForReading.fileDescriptor, &bytes, bytes.count) > 0 { usleep(20_000) }
    }
  }

  @MainActor @inline(never) func note(_ event: String) {
    let line = String(repeating: event + " ", count: 6_000)
    let written = line.withCString { write(pipe.fileHandleForWriting.fileDescriptor, $0, strlen($0)) }  // BUG log-pipe
    precondition(written == line.utf8.count)
  }

  @MainActor @inline(never) func dump() {
    for number in 0..<20 {
      let lines = Data(String(repeating: "event \(number)\n", count: 400).utf8)
      pipe.fileHandleForWriting.write(lines)  // BUG log-handle
    }
  }
}
