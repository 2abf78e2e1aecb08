import Stallwatch
import StallwatchCore
import StallwatchProbe

extension Monitor {
  /// Watches an actor, where StallwatchHooks do not: now and then a task of the monitor's calls it, as any other would, and
  /// a call that waits for the threshold or longer is a stall. What the actor does meanwhile is not known; with hooks and
  /// ``Configuration/watchesEveryLoop`` it is, and the monitor calls nothing.
  ///
  /// - Parameters:
  ///   - actor: Not kept: once it is gone, the task ends.
  ///   - name: What the report calls it, up to 64 bytes. Lanes of one name count as one.
  ///
  /// Calls come as often as ``watch(_:name:)-(DispatchQueue,_)`` has pings. The task sleeps in between; each call takes what
  /// calls of an actor take. It also waits for a thread of Swift's pool, so that a starved pool shows here, too.
  ///
  /// Returns why the actor is not watched, ``WatchRefusal/notRunning`` or ``WatchRefusal/noRoom`` (64 lanes); nil when it
  /// is. Any thread.
  @discardableResult
  public func watch(_ actor: some Actor, name: String) -> WatchRefusal? {
    switch watchLane(name: name) {
    case .hooked: return nil
    case .refused(let reason): return reason
    case .pinged(let lane):
      Task.detached { [weak actor] in
        var interval: Nanoseconds? = lane.firstInterval
        while let pause = interval {
          try? await Task.sleep(nanoseconds: pause)
          guard let actor else { break }
          lane.wait(from: Probe.now())
          interval = await answer(lane, on: actor)
        }
        lane.end()
      }
      return nil
    }
  }
}

/// Answers a ping on the actor.
private func answer(_ lane: PingedLane, on actor: isolated some Actor) -> Nanoseconds? {
  lane.answer(threadIsItsOwn: false)
}
