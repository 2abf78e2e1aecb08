import Foundation

/// A thread with a run loop of its own, for a test to drive.
final class TestLoop: @unchecked Sendable {
  private let started = DispatchSemaphore(value: 0)
  private let finished = DispatchSemaphore(value: 0)

  /// Runs `body` on a new thread and waits for its end.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let loop = TestLoop()
    let thread = Thread {
      body()
      loop.finished.signal()
    }
    thread.start()
    loop.finished.wait()
  }

  /// Runs the calling thread's loop in a mode for a time, kept alive by a timer that does nothing.
  static func turn(_ mode: String = "kCFRunLoopDefaultMode", for seconds: TimeInterval) {
    let timer = Timer(timeInterval: 0.005, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end { _ = RunLoop.current.run(mode: RunLoop.Mode(mode), before: end) }
    timer.invalidate()
  }

  /// Calls `body` once from a timer of the calling thread's loop in a mode, and runs the loop until that has happened.
  static func callout(in mode: String = "kCFRunLoopDefaultMode", _ body: @escaping () -> Void) {
    // Only this thread touches them.
    nonisolated(unsafe) var done = false
    nonisolated(unsafe) let body = body
    let timer = Timer(timeInterval: 0.01, repeats: false) { _ in
      body()
      done = true
    }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    while !done { _ = RunLoop.current.run(mode: RunLoop.Mode(mode), before: .distantFuture) }
  }
}
