import Foundation
import StallwatchCore

@testable import StallwatchProbe

/// A thread with a run loop of its own, for a test to drive.
///
/// A busy machine may run it at any pace. So a test turns its loop until what it waits for has come, or until ``patience``
/// is over, and holds what was recorded against the times that it measured itself.
final class TestLoop: @unchecked Sendable {
  /// How long a test waits for what must come: longer than any machine takes.
  static let patience: TimeInterval = 60

  /// When a part of a test began and ended.
  struct Stretch: Sendable {
    var start: Nanoseconds
    var end: Nanoseconds
    /// The longest time between two of the loop's own callouts, its start and its end. No span in which the loop was not
    /// held is as long as two of these.
    var longestGap: Nanoseconds = 0
    /// How often its timer fired.
    var callouts: UInt64 = 0

    var duration: Nanoseconds { end - start }
  }

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
  @discardableResult
  static func turn(_ mode: String = "kCFRunLoopDefaultMode", for seconds: TimeInterval) -> Stretch {
    turn(mode, for: seconds, atATime: seconds) { false }
  }

  /// The same in runs of 50 ms until `condition` holds.
  @discardableResult
  static func turn(_ mode: String = "kCFRunLoopDefaultMode", until condition: () -> Bool) -> Stretch {
    turn(mode, for: patience, atATime: 0.05, until: condition)
  }

  private static func turn(
    _ mode: String, for seconds: TimeInterval, atATime piece: TimeInterval, until condition: () -> Bool
  ) -> Stretch {
    var stretch = Stretch(start: Platform.now(), end: 0)
    // Only this thread touches them.
    nonisolated(unsafe) var last = stretch.start
    nonisolated(unsafe) var longest: Nanoseconds = 0
    nonisolated(unsafe) var callouts: UInt64 = 0
    @Sendable func note() {
      let now = Platform.now()
      longest = max(longest, now - last)
      last = now
    }
    let timer = Timer(timeInterval: 0.005, repeats: true) { _ in
      note()
      callouts += 1
    }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end, !condition() {
      _ = RunLoop.current.run(mode: RunLoop.Mode(mode), before: min(end, Date(timeIntervalSinceNow: piece)))
    }
    timer.invalidate()
    note()
    (stretch.end, stretch.longestGap, stretch.callouts) = (last, longest, callouts)
    return stretch
  }

  /// Calls `body` once from a timer of the calling thread's loop in a mode, and runs the loop until that has happened.
  /// Returns when `body` began and ended.
  @discardableResult
  static func callout(in mode: String = "kCFRunLoopDefaultMode", _ body: @escaping () -> Void) -> Stretch {
    // Only this thread touches them.
    nonisolated(unsafe) var stretch: Stretch?
    nonisolated(unsafe) let body = body
    let timer = Timer(timeInterval: 0.01, repeats: false) { _ in
      let start = Platform.now()
      body()
      stretch = Stretch(start: start, end: Platform.now())
    }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    while true {
      if let stretch { return stretch }
      _ = RunLoop.current.run(mode: RunLoop.Mode(mode), before: .distantFuture)
    }
  }

  /// Sleeps on the calling thread, so many microseconds at a time, until `condition` holds.
  static func sleep(_ microseconds: UInt32, until condition: () -> Bool) {
    let end = Date(timeIntervalSinceNow: patience)
    repeat { usleep(microseconds) } while !condition() && Date() < end
  }
}

/// What is measured by a test and by the monitor may differ by so much: they read different clocks of the same machine.
let clockError: Nanoseconds = 1 * .millisecond

/// Whether `condition` comes true before ``TestLoop/patience`` is over.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date(timeIntervalSinceNow: TestLoop.patience)
  while try !condition() {
    guard Date() < end else { return false }
    usleep(100)
  }
  return true
}
