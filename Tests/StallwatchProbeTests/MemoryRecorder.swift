import StallwatchCore
import Synchronization

/// Keeps records in memory, for a test to look at.
final class MemoryRecorder: Recorder {
  private let kept = Mutex<[Record]>([])
  private let before: @Sendable (Record) -> Void

  /// `before` is called with each record, and may keep the watchdog waiting.
  init(before: @escaping @Sendable (Record) -> Void = { _ in }) { self.before = before }

  func take(_ record: Record) -> Bool {
    before(record)
    kept.withLock { $0.append(record) }
    return true
  }

  var records: [Record] { kept.withLock { $0 } }

  var loops: [LoopRecord] { records.compactMap { if case .loop(let loop) = $0 { loop } else { nil } } }
  var modes: [ModeRecord] { records.compactMap { if case .mode(let mode) = $0 { mode } else { nil } } }
  var began: [StallBegan] { records.compactMap { if case .stallBegan(let began) = $0 { began } else { nil } } }
  var ended: [StallEnded] { records.compactMap { if case .stallEnded(let ended) = $0 { ended } else { nil } } }
  var intervals: [IntervalRecord] {
    records.compactMap { if case .interval(let interval) = $0 { interval } else { nil } }
  }
  var deltas: [ProfileDelta] { records.compactMap { if case .profile(let delta) = $0 { delta } else { nil } } }
  var healths: [HealthRecord] { records.compactMap { if case .health(let health) = $0 { health } else { nil } } }
  var samples: [StallSamples] {
    records.compactMap { if case .samples(let samples) = $0 { samples } else { nil } }
  }
  var images: [ImageRecord] { records.compactMap { if case .image(let image) = $0 { image } else { nil } } }
  var ticks: [DriftTick] { records.compactMap { if case .driftTick(let tick) = $0 { tick } else { nil } } }
  var progress: [LoopProgress] {
    records.compactMap { if case .loopProgress(let progress) = $0 { progress } else { nil } }
  }

  var profiledStacks: [ProfiledStack] {
    records.compactMap { if case .profiledStack(let stack) = $0 { stack } else { nil } }
  }

  var losses: [LossRecord] { records.compactMap { if case .loss(let loss) = $0 { loss } else { nil } } }
  /// How often all timers have fired.
  var fired: UInt64 {
    records.reduce(0) { if case .timerDelta(let delta) = $1 { $0 + delta.fired } else { $0 } }
  }

  /// The stalls that began and ended, by span and not cancelled.
  var stalls: [(began: StallBegan, ended: StallEnded)] {
    let ends = Dictionary(uniqueKeysWithValues: ended.map { ($0.id, $0) })
    return began.compactMap { began in
      guard began.kind == .stall, let end = ends[began.id], end.state == .ended else { return nil }
      return (began, end)
    }
  }

  /// The only stall that goes on during all of a hold; nil where there is none, or more than one.
  func stall(in held: TestLoop.Stretch) -> (began: StallBegan, ended: StallEnded)? {
    let found = stalls.filter {
      $0.began.startedNs <= held.start + clockError
        && $0.began.startedNs + $0.ended.duration + clockError >= held.end
    }
    return found.count == 1 ? found[0] : nil
  }

  /// A mode's name by its loop and place.
  func modeName(_ loop: LoopID, _ index: Int) -> String? {
    modes.first { $0.loop == loop && $0.index == index }?.name
  }

  /// All time charged to a metric.
  func total(_ metric: Metric, loop: LoopID? = nil) -> Nanoseconds {
    deltas.filter { loop == nil || $0.loop == loop }.flatMap(\.metrics).filter { $0.metric == metric }
      .reduce(0) { $0 + $1.total }
  }
}
