import CoreFoundation
import Foundation
import StallwatchCore
import StallwatchProbe
import Synchronization

#if os(Linux)
  /// A run loop on a thread of its own that is held once, in a callout, while a probe watches it.
  final class HeldLoop: Sendable {
    /// What the watchdog did during the hold.
    struct Cost {
      /// CPU time of its thread in nanoseconds, the kernel's part included.
      var cpu: UInt64
      /// The part of it that each look took by itself, in their order.
      var looks: [UInt64]
    }

    private let cost = Mutex(Cost(cpu: 0, looks: []))
    private let isOver = DispatchSemaphore(value: 0)

    /// Holds a loop by `body`, which gets the moment at which to return; `interval` is the time between looks in
    /// nanoseconds, nil: no looks.
    static func cost(
      every interval: UInt64?, seconds: Double, _ body: @escaping @Sendable (UInt64) -> Void
    ) throws -> Cost {
      var configuration = ProbeConfiguration()
      configuration.usesHooks = false
      configuration.sampleInterval = interval
      configuration.measuresLooks = true
      let probe = try Probe(configuration: configuration, recorder: Nowhere())
      try probe.start()
      let held = HeldLoop()
      let thread = Thread { held.run(probe, seconds, body) }
      thread.start()
      held.isOver.wait()
      probe.stop()
      return held.cost.withLock { $0 }
    }

    /// How long the loop waits before it is held: the start of the probe is over by then.
    private static let delay = 0.3

    private func run(_ probe: Probe, _ seconds: Double, _ body: @escaping @Sendable (UInt64) -> Void) {
      probe.watchCurrentLoop(name: "held")
      let fireDate = CFAbsoluteTimeGetCurrent() + Self.delay
      let timer = CFRunLoopTimerCreateWithHandler(nil, fireDate, 0, 0, 0) { [self] _ in
        let watchdog = OwnThreads.id(of: "stallwatch")
        let before = OwnThreads.cpu(of: watchdog)
        body(OwnThreads.now() + UInt64(seconds * 1e9))
        let cpu = OwnThreads.cpu(of: watchdog) - before
        cost.withLock { $0 = Cost(cpu: cpu, looks: probe.looks) }
        CFRunLoopStop(CFRunLoopGetCurrent())
      }
      CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
      CFRunLoopRun()
      isOver.signal()
    }
  }

  /// Keeps nothing, so that only the probe's cost is measured.
  private final class Nowhere: Recorder {
    func take(_ record: Record) -> Bool { true }
  }
#endif
