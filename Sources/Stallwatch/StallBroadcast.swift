import StallwatchCore
import Synchronization

/// Passes records on to the store, and the stalls among them to every stall stream. `take` runs on the watchdog's
/// thread.
final class StallBroadcast: Recorder {
  fileprivate struct State {
    var loops: [LoopID: String] = [:]
    var modes: [LoopID: [Int: String]] = [:]
    var open: [StallID: Stall] = [:]
    var streams: [Int: AsyncStream<StallEvent>.Continuation] = [:]
    var nextStream = 0
    var isFinished = false
  }

  /// How many events a slow reader of a stream may fall behind; beyond that it misses the oldest. A stall lasts at
  /// least a threshold, so this is 6 s of one loop that only stalls.
  private static let backlog = 256

  private let store: any Recorder
  private let state = Mutex(State())

  init(store: any Recorder) { self.store = store }

  func take(_ record: Record) -> Bool {
    let kept = store.take(record)
    // Nearly all records are figures, which no stream shows.
    switch record {
    case .profile, .timerDelta, .driftTick, .health: return kept
    default: break
    }
    state.withLock { state in
      if let event = state.event(of: record) {
        for stream in state.streams.values { stream.yield(event) }
      }
    }
    return kept
  }

  /// A stream of the stalls from now on. Any thread.
  func stream() -> AsyncStream<StallEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StallEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    let number: Int? = state.withLock { state in
      if state.isFinished { return nil }
      state.nextStream += 1
      state.streams[state.nextStream] = continuation
      return state.nextStream
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
    }
    return stream
  }

  /// How many loops, loops with modes and open stalls are kept, for tests: it must not grow with all that ever were.
  var kept: (loops: Int, modes: Int, stalls: Int) {
    state.withLock { ($0.loops.count, $0.modes.count, $0.open.count) }
  }

  /// Ends all streams.
  func finish() {
    let streams = state.withLock { state in
      defer { state.streams = [:] }
      state.isFinished = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}

extension StallBroadcast.State {
  fileprivate mutating func event(of record: Record) -> StallEvent? {
    switch record {
    case .loop(let loop): loops[loop.id] = loop.name
    case .mode(let mode): modes[mode.loop, default: [:]][mode.index] = mode.name
    case .stallBegan(let began):
      let stall = Stall(
        began, loop: loops[began.loop] ?? "unknown", mode: modes[began.loop]?[began.mode] ?? "unknown")
      open[began.id] = stall
      return .began(stall)
    case .stallEnded(let ended):
      guard var stall = open.removeValue(forKey: ended.id) else { return nil }
      stall.duration = Duration(nanoseconds: ended.duration)
      return ended.state == .cancelled ? .cancelled(stall) : .ended(stall)
    case .loopProgress(let progress) where progress.endedNs != nil:
      loops[progress.loop] = nil
      modes[progress.loop] = nil
    case .loopProgress, .profile, .samples, .profiledStack, .image, .timer, .timerDelta, .stallTimer, .driftTick,
      .interval, .loss, .health:
      break
    }
    return nil
  }
}
