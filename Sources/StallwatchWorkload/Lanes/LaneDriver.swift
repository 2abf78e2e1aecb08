import Foundation
import Synchronization

/// Holds one lane after the other by a plan, from a thread that serves none, and writes down what it did.
final class LaneDriver: Sendable {
  private let options: Options
  private let truth: TruthWriter
  private let queues: [HeldLane: DispatchQueue] = [
    .images: DispatchQueue(label: "images"), .index: DispatchQueue(label: "index"), .mail: DispatchQueue(label: "mail"),
    .synced: DispatchQueue(label: "synced"), .sourced: DispatchQueue(label: "sourced"),
  ]
  private let ledger = Ledger()
  private let cache = Cache()
  private let eventLoops: [HeldLane: EventLoopLane]
  private let width = ProcessInfo.processInfo.activeProcessorCount

  init(options: Options, truth: TruthWriter) {
    (self.options, self.truth) = (options, truth)
    eventLoops = [.firstEventLoop: EventLoopLane("loop-1"), .secondEventLoop: EventLoopLane("loop-2")]
  }

  /// Takes all lanes through the plan. Returns when that is done.
  func run(_ plan: LanePlan) {
    warmUp()
    for step in plan.steps {
      usleep(UInt32(options.idle / 1_000))
      perform(step)
    }
    usleep(UInt32(options.idle / 1_000))
    for loop in eventLoops.values { loop.end() }
  }

  /// Has every lane serve a few items, so that whoever watches them knows them.
  private func warmUp() {
    for _ in 0..<5 {
      for lane in HeldLane.allCases { serve(lane) { _ in }.wait() }
      for loop in eventLoops.values { loop.serve {}.wait() }
    }
    usleep(UInt32(options.idle / 1_000))
  }

  private func perform(_ step: LaneStep) {
    if step.lane == .pool { return fillPool(step) }
    let held = Moments()
    let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let served = hold(step.lane) { hold in
      held.set(\.begun)
      began.signal()
      _ = hold(step)
      held.set(\.ended)
      ended.signal()
    }
    began.wait()
    guard !step.lane.isAwaited, step.hasWaiter else {
      served.wait()
      if step.lane.isAwaited { write(step, from: held.get(\.begun), to: held.get(\.ended)) }
      return
    }
    let waiter = Moments()
    serve(step.lane, enqueuing: { waiter.set(\.enqueued) }) { _ in waiter.set(\.begun) }.wait()
    ended.wait()
    write(step, from: waiter.get(\.enqueued), to: waiter.get(\.begun))
  }

  /// Fills the pool, and has another job wait if the step says so.
  private func fillPool(_ step: LaneStep) {
    let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for number in 0..<width {
      Task.detached {
        began.signal()
        if number % 2 == 0 { fillPoolByReading(step) } else { fillPoolByWaiting(step) }
        ended.signal()
      }
    }
    for _ in 0..<width { began.wait() }
    if step.hasWaiter {
      let (waiter, done) = (Moments(), DispatchSemaphore(value: 0))
      waiter.set(\.enqueued)
      Task.detached {
        waiter.set(\.begun)
        done.signal()
      }
      done.wait()
      write(step, from: waiter.get(\.enqueued), to: waiter.get(\.begun))
    }
    for _ in 0..<width { ended.wait() }
  }

  /// Has a lane serve what holds it, which gets the lane's function to do it with: an item, or what shows as none. The
  /// semaphore is signalled after it.
  private func hold(
    _ lane: HeldLane, _ item: @escaping @Sendable (_ hold: (LaneStep) -> Nanoseconds) -> Void
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    let queue = queues[lane]
    switch lane {
    case .synced:
      let thread = Thread {
        queue!.sync { item(lookUpInSync) }
        done.signal()
      }
      thread.start()
    case .sourced:
      let source = DispatchSource.makeUserDataAddSource(queue: queue)
      source.setEventHandler {
        item(handleSource)
        source.cancel()
        done.signal()
      }
      source.activate()
      source.add(data: 1)
    default: return serve(lane, item)
    }
    return done
  }

  /// Has a lane serve an item, which gets the lane's function to hold it with. The semaphore is signalled after it.
  /// `enqueuing` is called right before the item comes into the lane: a task has to be served by the pool first, to get to
  /// its actor, and where holds compute it may wait there for a processor.
  @discardableResult
  private func serve(
    _ lane: HeldLane, enqueuing: @escaping @Sendable () -> Void = {},
    _ item: @escaping @Sendable (_ hold: (LaneStep) -> Nanoseconds) -> Void
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    if lane != .actor, lane != .cache { enqueuing() }
    switch lane {
    case .mainQueue:
      DispatchQueue.main.async {
        item(holdMainQueue)
        done.signal()
      }
    case .mainActor:
      Task { @MainActor in
        item(holdMainActor)
        done.signal()
      }
    case .actor:
      Task { [ledger] in
        enqueuing()
        await ledger.serve { item(holdActor) }
        done.signal()
      }
    case .cache:
      Task { [cache] in
        enqueuing()
        await cache.serve { item(lookUpInCache) }
        done.signal()
      }
    case .images, .index, .mail, .synced, .sourced:
      let hold = lane == .images ? resizeImages : lane == .index ? writeIndex : sendMail
      queues[lane]!.async {
        item(hold)
        done.signal()
      }
    case .pool:
      Task.detached {
        item(fillPoolByReading)
        done.signal()
      }
    case .firstEventLoop, .secondEventLoop: return eventLoops[lane]!.serve { item(handleRequest) }
    }
    return done
  }

  private func write(_ step: LaneStep, from start: Nanoseconds, to end: Nanoseconds) {
    var line = TruthLine(.stall)
    line.number = step.number
    (line.loop, line.laneKind, line.culprits) = described(step.lane)
    line.how = step.how
    (line.startedNs, line.durationNs) = (start, end > start ? end - start : 0)
    truth.append(line)
  }

  /// A lane's name and kind as a report has them, and the functions that hold it.
  private func described(_ lane: HeldLane) -> (name: String, kind: String, culprits: [String]) {
    switch lane {
    case .mainQueue: ("main", "main queue", ["holdMainQueue"])
    case .mainActor: ("main", "main queue", ["holdMainActor"])
    case .actor: ("ledger", "queue", ["holdActor"])
    case .cache: ("StallwatchWorkload.Cache", "actor", ["lookUpInCache"])
    case .images: ("images", "queue", ["resizeImages"])
    case .index: ("index", "queue", ["writeIndex"])
    case .mail: ("mail", "queue", ["sendMail"])
    case .synced: ("synced", "queue", ["lookUpInSync"])
    case .sourced: ("sourced", "queue", ["handleSource"])
    case .pool:
      (
        "Swift global concurrent queue", "pool",
        ["fillPoolByReading"] + (width > 1 ? ["fillPoolByWaiting"] : [])
      )
    case .firstEventLoop: ("loop-1", "event loop", ["handleRequest"])
    case .secondEventLoop: ("loop-2", "event loop", ["handleRequest"])
    }
  }
}

/// An actor that runs its jobs on a serial queue.
private actor Ledger {
  private static let executor = QueueExecutor(label: "ledger")
  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

  func serve(_ item: () -> Void) { item() }
}

private actor Cache {
  func serve(_ item: () -> Void) { item() }
}

private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// When an item was enqueued, began and ended.
private final class Moments: Sendable {
  struct Values {
    var enqueued: Nanoseconds = 0
    var begun: Nanoseconds = 0
    var ended: Nanoseconds = 0
  }
  private let values = Mutex(Values())

  /// Sets one to the present moment.
  func set(_ moment: WritableKeyPath<Values, Nanoseconds> & Sendable) {
    let now = MonotonicClock.now
    values.withLock { $0[keyPath: moment] = now }
  }
  func get(_ moment: KeyPath<Values, Nanoseconds> & Sendable) -> Nanoseconds { values.withLock { $0[keyPath: moment] } }
}
