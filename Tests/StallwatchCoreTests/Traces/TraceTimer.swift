import StallwatchCore

/// A repeating timer of a ``TraceLoop`` that obeys CF's rule, and counts for itself what it has served.
final class TraceTimer {
  let counters: TimerCounters
  let fold: TimerFold
  let fires: SharedQueue<LateFire>
  private(set) var due: Nanoseconds
  private(set) var fired: UInt64 = 0
  private(set) var skipped: UInt64 = 0
  private let interval: Nanoseconds
  private let memory: UnsafeMutableRawPointer
  private var reader: TimerReader

  init(every interval: Nanoseconds, first due: Nanoseconds, on loop: TraceLoop) {
    memory = UnsafeMutableRawPointer.allocate(byteCount: TimerCounters.byteCount, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: TimerCounters.byteCount)
    counters = TimerCounters(memory: memory)
    fires = loop.region.lateFires
    fold = TimerFold(counters: counters, slot: 3, region: loop.region, threshold: 50.ms)
    reader = TimerReader(timer: TimerID(rawValue: 7), counters: counters)
    self.interval = interval
    self.due = due
    counters.arm(due: due, interval: interval)
  }

  deinit { memory.deallocate() }

  /// CF serves it at `now`; the callout takes `length`, and CF computes the next due time `after` later. Returns when.
  @discardableResult
  func fire(at now: Nanoseconds, taking length: Nanoseconds = 0, after: Nanoseconds = 0) -> Nanoseconds {
    precondition(now >= due)
    fold.begin(due: due, interval: interval, at: now)
    fold.end(at: now + length)
    fired += 1
    return advance(past: now + length + after)
  }

  /// CF's rule for the next due time.
  func advance(past moment: Nanoseconds) -> Nanoseconds {
    due += interval
    while due <= moment {
      due += interval
      skipped += 1
    }
    return moment
  }

  /// What is due up to `moment`, the timer's last, is never served.
  func finish(at moment: Nanoseconds) {
    fold.finish(at: moment)
    while due <= moment {
      due += interval
      skipped += 1
    }
  }

  func delta(modes: Int = TraceMode.allCases.count) -> TimerDelta? { reader.delta(at: 9.s, modes: modes) }
}
