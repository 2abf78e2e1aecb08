import Dispatch
import Stallwatch
import StallwatchCore
import StallwatchProbe

extension Monitor {
  /// Watches a queue of Dispatch's, where StallwatchHooks do not: now and then a ping waits in it, one at a time, and one
  /// that waits for the threshold or longer is a stall. The thread that serves a serial queue meanwhile is sampled.
  ///
  /// - Parameters:
  ///   - queue: Kept until the monitor stops.
  ///   - name: What the report calls it, up to 64 bytes; nil: the queue's label. Lanes of one name count as one.
  ///
  /// Pings come twice a threshold, and thin out to one a second while the process takes less than 2 % of a processor: then
  /// a stall of less than a second may go unseen. Each is a fire of a timer source of the queue's. With hooks and
  /// ``Configuration/watchesEveryLoop`` the monitor sees the queue's own items, and pings nothing.
  ///
  /// Returns why the queue is not watched, ``WatchRefusal/notRunning`` or ``WatchRefusal/noRoom`` (64 lanes); nil when it
  /// is. Any thread.
  @discardableResult
  public func watch(_ queue: DispatchQueue, name: String? = nil) -> WatchRefusal? {
    switch watchLane(name: name ?? queue.label, queue: queue) {
    case .hooked: return nil
    case .refused(let reason): return reason
    case .pinged(let lane):
      QueuePing(queue, lane).begin()
      return nil
    }
  }
}

/// The pings of one queue: a timer source whose handler answers, so that nothing is enqueued by hand and a late fire is
/// followed by no second one.
private final class QueuePing: @unchecked Sendable {
  // Used by the one who makes it, then by the handler only, which Dispatch calls once at a time.
  private let source: any DispatchSourceTimer
  private let lane: PingedLane
  private var due: Nanoseconds = 0
  private var interval: Nanoseconds = 0

  init(_ queue: DispatchQueue, _ lane: PingedLane) {
    source = DispatchSource.makeTimerSource(queue: queue)
    self.lane = lane
  }

  func begin() {
    // The source keeps its handler, and with it this object, until it is cancelled.
    source.setEventHandler { self.answer() }
    plan(lane.firstInterval)
    source.activate()
  }

  private func answer() {
    guard let next = lane.answer(threadIsItsOwn: false) else { return source.cancel() }
    guard next == interval else { return plan(next) }
    // The timer goes on by itself, at the first of its times that is still to come.
    let now = Probe.now()
    due += (now.since(due) / interval + 1) * interval
    lane.wait(from: due)
  }

  /// Has pings come at this interval from now on. Sets the timer anew, which takes memory and Dispatch's own thread.
  private func plan(_ next: Nanoseconds) {
    interval = next
    due = Probe.now() + next
    lane.wait(from: due)
    source.schedule(
      deadline: DispatchTime(uptimeNanoseconds: due), repeating: .nanoseconds(Int(next)), leeway: .nanoseconds(0))
  }
}
