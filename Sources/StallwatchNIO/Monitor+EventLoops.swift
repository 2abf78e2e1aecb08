#if NIO
  import NIOCore
  import Stallwatch
  import StallwatchCore
  import StallwatchProbe

  extension Monitor {
    /// Watches an event loop of SwiftNIO's, where StallwatchHooks do not: now and then a task of its own is due, one at a
    /// time, and one that is late by the threshold or more is a stall. The loop's thread is sampled meanwhile.
    ///
    /// - Parameters:
    ///   - eventLoop: Must not have shut down. Its shutdown ends the watching.
    ///   - name: What the report calls it, up to 64 bytes. Lanes of one name count as one.
    ///
    /// Tasks are due twice a threshold, and thin out to one a second while the process takes less than 2 % of a processor:
    /// then a stall of less than a second may go unseen. Each takes what a scheduled task of NIO's takes, memory included.
    /// With hooks and ``Configuration/watchesEveryLoop`` the monitor sees the loop's own ticks, and schedules nothing.
    ///
    /// Returns why the loop is not watched, ``WatchRefusal/notRunning`` or ``WatchRefusal/noRoom`` (64 lanes); nil when it
    /// is. Any thread.
    @discardableResult
    public func watch(_ eventLoop: any EventLoop, name: String) -> WatchRefusal? {
      switch watchLane(name: name) {
      case .hooked: return nil
      case .refused(let reason): return reason
      case .pinged(let lane):
        // From then on the loop itself schedules: nothing may be enqueued from outside once it shuts down.
        eventLoop.execute { ping(lane, on: eventLoop, after: lane.firstInterval) }
        return nil
      }
    }

    /// Watches all event loops of a group, as `name` and their numbers from 1. Returns why one is not watched.
    @discardableResult
    public func watch(_ group: any EventLoopGroup, name: String) -> WatchRefusal? {
      for (number, eventLoop) in zip(1..., group.makeIterator()) {
        if let refusal = watch(eventLoop, name: "\(name) \(number)") { return refusal }
      }
      return nil
    }
  }

  /// Has a ping wait from then on. On the event loop.
  private func ping(_ lane: PingedLane, on eventLoop: any EventLoop, after pause: Nanoseconds) {
    lane.wait(from: Probe.now() + pause)
    let due = eventLoop.scheduleTask(in: .nanoseconds(Int64(clamping: pause))) {
      if let pause = lane.answer(threadIsItsOwn: true) { ping(lane, on: eventLoop, after: pause) }
    }
    // The loop shuts down.
    due.futureResult.whenFailure { _ in lane.end() }
  }
#else
  import Stallwatch

  extension Monitor {
    /// Stands in for the function above in a program that depends on the package without the trait `NIO`: the compiler then
    /// says what to do.
    @available(*, unavailable, message: "depend on stallwatch with traits: [\"NIO\"], which has SwiftNIO built")
    public func watch(_ eventLoop: Any, name: String) {}
  }
#endif
