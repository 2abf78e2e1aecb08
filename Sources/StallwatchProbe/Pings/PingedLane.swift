import CStallwatch
import StallwatchCore

/// A lane whose items nothing shows: a queue, an actor or an event loop without hooks. Now and then a ping waits in it as an
/// item does, one at a time. How long the ping waits is how long any item would have.
///
/// The lane's own means enqueue the ping (``PingedLanes``); they say here since when it waits, and when it is served.
package struct PingedLane: Sendable {
  private let lanes: PingedLanes
  private let ping: QueueItem
  /// Stands for what the lane serves while the ping waits: nothing is known of it but the thread.
  private let held: QueueItem
  /// Nil where the lane is no queue of Dispatch's.
  private let server: QueueServer?
  private let region: LaneRegion
  private let clock: CounterClock
  private let parker: Parker
  private let threshold: Nanoseconds

  init(
    _ lanes: PingedLanes, ping: QueueItem, held: QueueItem, server: QueueServer?, region: LaneRegion,
    clock: CounterClock, parker: Parker, threshold: Nanoseconds
  ) {
    (self.lanes, self.ping, self.held, self.server, self.region) = (lanes, ping, held, server, region)
    (self.clock, self.parker, self.threshold) = (clock, parker, threshold)
  }

  /// The time until the first ping is to wait, in nanoseconds.
  package var firstInterval: Nanoseconds { lanes.interval }

  /// Says that a ping waits from `due` on, which may be still to come; in nanoseconds of the monotonic clock. Any thread,
  /// but not while another ping of the lane waits.
  package func wait(from due: Nanoseconds) {
    held.serve(from: due)
    ping.wait(from: due)
    parker.wakeIfParked()
  }

  /// Says that the lane serves the ping now, on the calling thread. `threadIsItsOwn`: the lane never has another thread, so
  /// that this one is sampled while the next ping waits.
  ///
  /// Returns the time until the next ping is to wait, in nanoseconds; nil when watching has stopped. Reads the clock once,
  /// and neither allocates nor takes a lock; the first call also makes some system calls.
  package func answer(threadIsItsOwn isItsOwn: Bool) -> Nanoseconds? {
    let (start, now) = (ping.waitingNs, clock.now())
    if start != 0 { region.answer(ping.queue, waitingSince: start, at: now, threshold: threshold) }
    end()
    server?.prove()
    if isItsOwn, held.threadID == 0 { held.setThread(stallwatch_thread_id(), pointer: stallwatch_thread_pointer()) }
    return lanes.isOver ? nil : lanes.interval
  }

  /// Says that no ping waits any more, because the lane has ended.
  package func end() {
    ping.stopWaiting()
    held.end()
  }
}
