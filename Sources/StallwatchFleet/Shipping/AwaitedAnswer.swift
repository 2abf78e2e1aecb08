import Dispatch
import StallwatchCore
import Synchronization

/// A delivery's wait for a server's answer.
enum AwaitedAnswer {
  /// How long a batch may still take once somebody asked to stop: less time than service managers allow before they
  /// kill.
  private static let lastPatience = 8 * Nanoseconds.second
  /// How often to check whether somebody asked to stop.
  private static let look = DispatchTimeInterval.milliseconds(200)

  /// What a task hands to the thread that waits for it.
  private final class Answer: Sendable {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex(DeliveryOutcome.notNow("not sent"))
  }

  /// Waits for the outcome that `send` returns, and cancels `send` some time after somebody asked to stop.
  static func outcome(
    _ clock: any ShippingClock, _ name: String, _ send: @escaping @Sendable () async throws -> DeliveryOutcome
  ) -> DeliveryOutcome {
    let answer = Answer()
    let task = Task {
      let outcome: DeliveryOutcome
      do { outcome = try await send() } catch is CancellationError {
        outcome = .notNow("\(name): did not answer before the end")
      } catch {
        outcome = .notNow("\(name): \(error)")
      }
      answer.outcome.withLock { $0 = outcome }
      answer.done.signal()
    }
    var stopped: Nanoseconds?
    while answer.done.wait(timeout: .now() + look) == .timedOut {
      guard clock.isStopped else { continue }
      stopped = stopped ?? clock.now
      if let stopped, clock.now.since(stopped) > lastPatience { task.cancel() }
    }
    return answer.outcome.withLock { $0 }
  }
}
