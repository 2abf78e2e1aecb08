import Foundation

/// The thread that serves an event loop, as the system knows it.
struct LoopThread: Sendable {
  let name: String
  private let folder: String

  /// The calling thread.
  init() {
    let link = try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    folder = "/proc/\(link)"
    name = try! String(contentsOfFile: "\(folder)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  /// A moment, and how long the thread has been runnable without a processor by then since it started, in nanoseconds.
  struct Moment {
    let time: UInt64
    let delay: UInt64
  }

  /// The present moment.
  var now: Moment {
    let text = try? String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)
    return Moment(time: monotonicNow(), delay: text.flatMap { UInt64($0.split(separator: " ")[1]) } ?? 0)
  }

  /// Returns when the thread waits: a loop that got no processor after a hold has not begun to yet.
  func awaitWait() {
    while let text = try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8),
      text.split(separator: ")").last?.hasPrefix(" S") != true
    { usleep(1_000) }
  }
}
