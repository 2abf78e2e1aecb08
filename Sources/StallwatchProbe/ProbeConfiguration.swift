import StallwatchCore

/// How a probe watches its process.
package struct ProbeConfiguration: Sendable {
  /// The length from which a span is a stall. Default 50 ms: the W3C's bound for a long task, three frames at 60 Hz. At
  /// least 1 ms; below that the watchdog itself would be busy.
  package var threshold: Nanoseconds = 50 * .millisecond
  /// The interval at which the probe hands on figures while loops turn. Default 15 ms: with the time to wake and
  /// to write them into the live region, a sudden death costs at most 20 ms of counters. Flushes that cost too much come
  /// less often (``FlushPace``). A look may wait for a flush so
  /// far away; for one farther away the watchdog would wake by itself, a fifth more often in the demo.
  package var flushInterval: Nanoseconds = 15 * .millisecond
  /// Whether the probe watches every loop of the process, not only the named ones; needs hooks to see them. Default
  /// false: an embedded monitor watches what its host asks for.
  package var watchesEveryLoop = false

  /// Whether the probe listens to StallwatchHooks if they are in the process. Default true. A program that is recorded
  /// from outside leaves the hooks to the injected monitor.
  package var usesHooks = true

  /// The moment since which the program has waited for the probe to start, on the monotonic clock; 0 if it does not
  /// wait. The time from then until the program's first run continues makes no timer late. Default 0.
  package var startUpNs: Nanoseconds = 0

  /// How often the probe samples a held thread while its stall goes on, after the first look, before the threshold
  /// (``firstLook``, ``longestSleep``), and the second at it; nil: never.
  /// Default 10 ms: a stall worth a look gets several, and a look costs some microseconds. At least 1 ms. A look may wait
  /// for a flush, for half of this.
  package var sampleInterval: Nanoseconds? = 10 * .millisecond
  /// How often the probe samples busy loops for a profile, stalled or not; nil: no profile. Default nil, because it
  /// wakes the watchdog that often while any loop turns. At least 1 ms.
  package var profileInterval: Nanoseconds?

  /// The time between two ticks of the drift probe, the same for all loops; nil: no drift probe. Default nil: each tick
  /// wakes waiting loops, so the caller has to ask for it. At rest ticks thin out (``RestingTicks``). Within
  /// ``SettingRange/driftInterval``.
  package var driftInterval: Nanoseconds?
  /// Modes that the drift probe ticks in besides a loop's common modes. Default none: timers that should always fire
  /// are in the common modes.
  package var driftModes: [String] = []

  /// Whether the probe measures the CPU time of its looks at held threads, for benches: that takes a microsecond more a
  /// look. Default false.
  package var measuresLooks = false

  /// Makes a configuration in which every property has its default.
  package init() {}

  /// How often a flush also hands on what is rare or takes longer: new timers and what stalls did to them, new modes where
  /// no hooks show them, the samples of open stalls. Default 250 ms: to look for new modes takes CF's lock on the loop.
  package static let wholeFlushInterval: Nanoseconds = 250 * .millisecond
  /// The most modes a loop may have; further modes go unwatched and count as lost. AppKit's main loop has seven. Each
  /// mode costs 86 KB of address space, not of memory.
  package static let maximumModes = 64
  /// The age at which a loop other than the main one gets its first tick of the drift probe, or ten intervals if that
  /// is less. Many threads run a loop for one task and end within a second: a few ticks say nothing about such a loop,
  /// and each tick wakes its thread.
  package static let driftPatience: Nanoseconds = 1 * .second
  /// The most loops a process may have at one time, each a thread; further loops go unwatched and count as lost.
  package static let maximumLoops = 1_024
  /// The most loops of ended threads that may wait for the watchdog to take their last figures. Beyond that, new loops
  /// go unwatched and count as lost. The watchdog comes when 64 wait, and takes some 100 µs for each.
  package static let maximumEndedLoops = 1_024
  /// While this many of them wait, the watchdog takes precedence over the program's threads. It is woken at the same
  /// number: it is behind by then, and every further wait holds memory that another loop could use.
  package static let manyEndedLoops = 64
  /// The most places prepared for future loops: some 2 KB each, and more than begin between two watchdog passes.
  package static let maximumReadyLoops = 256
  /// Without hooks, for how many thresholds of a loop's time outside any run the watchdog looks every threshold for a run
  /// in a new mode: 5 s by default. Then the time between two looks grows with the square of that time, because a thread
  /// that has done without its loop for long probably continues to …
  static let outsideLooks: Nanoseconds = 100
  /// … up to 1 min, which is how long such a run may stay unseen: after two minutes a look comes twice a minute, and an
  /// idle program may be charged four wake-ups.
  static let longestOutsideCheck: Nanoseconds = 60 * .second
  /// How often the watchdog looks for due work on a loop whose thread is outside any run: every threshold at first,
  /// then after a tenth of the time outside. It sees the due time of a timer that it knew at the previous look in time,
  /// whatever the pause …
  package static let awayShare: Nanoseconds = 10
  /// … and every 15 s at most, which gives the four wake-ups a minute that an idle program may be charged.
  package static let longestAwayPause: Nanoseconds = 15 * .second

  /// How long a thread has been held at the first look at the soonest, where the watchdog is awake anyway: half the
  /// threshold.
  var firstLook: Nanoseconds { threshold / 2 }
  /// How long the watchdog sleeps while loops turn, and how long a thread has been held when it wakes for the first
  /// look at it: three quarters of the threshold. So a loop of short spans wakes it no more often than this, and a
  /// stall that ends 2 ms after the threshold has a stack, even if a running thread answers one kernel tick (4 ms)
  /// late.
  var longestSleep: Nanoseconds { threshold - threshold / 4 }
  /// The time until the next look for a run in a new mode, in a loop that has been outside any run for `time`.
  func outsideCheckPause(after time: Nanoseconds) -> Nanoseconds {
    let share = Double(time) / Double(threshold * Self.outsideLooks)
    return max(threshold, Nanoseconds(min(Double(threshold) * share * share, Double(Self.longestOutsideCheck))))
  }
}
