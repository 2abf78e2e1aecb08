import BareObservers
import CoreFoundation
import Stallwatch
import StallwatchCore
import Techniques

/// What watches the loops.
enum MonitorChoice: String, CaseIterable {
  case none
  /// C observers that do nothing, at Stallwatch's places.
  case empty
  /// C observers that read the clock, at the same places.
  case clock
  /// Stallwatch with its defaults.
  case stallwatch
  /// Stallwatch's profile and stalls alone, without samples or drift; the others add one thing to it.
  case recording, samples, drift, profile
  case ping, semaphore
  case wakeToWait = "wake-to-wait"
  case activityToActivity = "activity-to-activity"
  case frameTick = "frame-tick"

  var configuration: Configuration? {
    var configuration = Configuration()
    configuration.watchesMainLoop = false
    if self == .stallwatch { return configuration }
    configuration.sampleInterval = nil
    configuration.driftInterval = nil
    switch self {
    case .recording: break
    case .samples: configuration.sampleInterval = .milliseconds(10)
    case .drift: configuration.driftInterval = .seconds(1)
    case .profile:
      configuration.sampleInterval = .milliseconds(10)
      configuration.profileRate = 100
    default: return nil
    }
    return configuration
  }

  var technique: (any Technique.Type)? {
    switch self {
    case .ping: PingTechnique.self
    case .semaphore: SemaphoreTechnique.self
    case .wakeToWait: WakeToWaitTechnique.self
    case .activityToActivity: ActivityToActivityTechnique.self
    case .frameTick: FrameTickTechnique.self
    default: nil
    }
  }
}

/// A monitor at work.
final class Watch: @unchecked Sendable {
  private let choice: MonitorChoice
  private let monitor: Monitor?
  private let technique: (any Technique)?

  /// Begins it, on the main thread; `threshold` is that of Stallwatch, nil for its default.
  init(_ choice: MonitorChoice, store: String, threshold: Duration? = nil) throws {
    self.choice = choice
    if var configuration = choice.configuration {
      configuration.store = store
      if let threshold { configuration.threshold = threshold }
      monitor = try Monitor.start(configuration)
    } else {
      monitor = nil
    }
    technique = choice.technique.map { $0.init(threshold: $0.usualThreshold) { _ in } }
  }

  /// Watches the calling thread's loop in these modes; a technique watches the main loop alone, as it always does.
  func watchCurrentLoop(name: String, modes: [CFRunLoopMode]) {
    monitor?.watchCurrentLoop(name: name)
    switch choice {
    case .empty: modes.forEach { addBareObservers(to: $0, bare_observe_nothing) }
    case .clock: modes.forEach { addBareObservers(to: $0, bare_observe_clock) }
    default: break
    }
  }

  func stop() { monitor?.stop() }

  /// Two observers a mode, one before and one after all others, as Stallwatch has them.
  private func addBareObservers(
    to mode: CFRunLoopMode,
    _ callback: @escaping @convention(c) (UnsafeMutableRawPointer?, UInt, UnsafeMutableRawPointer?) -> Void
  ) {
    // The moment that was read last. Never freed: observers outlive the loop's last run.
    let moment = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    for (activities, order) in [(Activity.opening, CFIndex.min), (Activity.closing, CFIndex.max)] {
      var context = CFRunLoopObserverContext(version: 0, info: moment, retain: nil, release: nil, copyDescription: nil)
      // A C function of two pointers and a word either way.
      let callout = unsafeBitCast(callback, to: CFRunLoopObserverCallBack.self)
      let observer = CFRunLoopObserverCreate(nil, CFOptionFlags(activities.rawValue), true, order, callout, &context)
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
    }
  }
}
