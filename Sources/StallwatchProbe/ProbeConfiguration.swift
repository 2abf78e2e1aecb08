import StallwatchCore

/// How a process is watched.
public struct ProbeConfiguration: Sendable {
  /// A span of at least this is a stall. Default 50 ms: the W3C's bound for a long task, three frames at 60 Hz. From 1 ms
  /// up; below that the watchdog itself would be busy.
  public var threshold: Nanoseconds = 50 * .millisecond
  /// How often figures are handed on while loops turn: what a kill can lose. Default 250 ms: four transactions a second
  /// are nothing to a disk, and a quarter second is the shortest stall that counts in the hang rate.
  public var flushInterval: Nanoseconds = 250 * .millisecond
  /// Whether every loop of the process is watched, and not only those that are named: needs hooks to see them.
  /// Default false: an embedded monitor watches what its host asks for.
  public var watchesEveryLoop = false

  /// Whether StallwatchHooks is listened to where it is in the process. Default true; a program that is being recorded from
  /// outside leaves the hooks to the injected monitor.
  public var usesHooks = true

  /// Since when the program waits for the probe to start, on the monotonic clock; 0: it does not. What passes from then until
  /// its first run goes on makes no timer late. Default 0.
  public var startUpNs: Nanoseconds = 0

  /// How often a held thread is looked at while its stall goes on, after the first look at half the threshold and the second
  /// at the threshold; nil: never.
  /// Default 10 ms: a stall that is worth a look has several, and a look costs some microseconds. From 1 ms up.
  public var sampleInterval: Nanoseconds? = 10 * .millisecond
  /// How often busy loops are looked at for a profile, stall or not; nil: no profile. Default nil: it wakes the watchdog that
  /// often while any loop turns. From 1 ms up.
  public var profileInterval: Nanoseconds?

  /// The time between two ticks of the drift probe, the same for all loops; nil: no probe. Default nil: each tick wakes loops
  /// that wait, for whoever starts a probe to decide on. Within ``DriftInterval/range``.
  public var driftInterval: Nanoseconds?
  /// Modes that the drift probe is in besides a loop's common ones. Default none: timers that are to fire always are in the
  /// common modes.
  public var driftModes: [String] = []

  /// The defaults.
  public init() {}

  /// Modes a loop may have; further ones go unwatched and are counted as lost. AppKit's main loop has seven;
  /// each mode costs 86 KB of address space, not of memory.
  public static let maximumModes = 64
  /// A loop other than the main one has its first tick of the drift probe once it is this old, or ten intervals where that is
  /// less. Many threads run a loop for one task only and end within a second: a few ticks say nothing about such a loop, and
  /// each wakes its thread.
  public static let driftPatience: Nanoseconds = 1 * .second
  /// Loops a process may have at one time; further ones go unwatched and are counted as lost. Each loop is a thread.
  public static let maximumLoops = 1_024
  /// Loops of ended threads that may wait for the watchdog to take their last figures; while there are more, new loops go
  /// unwatched and are counted as lost. The watchdog comes when 64 wait, and takes some 100 µs for each.
  public static let maximumEndedLoops = 1_024
  /// While as many of them wait, the watchdog comes before the program's threads. As many as it is woken for: it is then
  /// behind already, and each that waits for longer takes memory that another could have had.
  public static let manyEndedLoops = 64
  /// The most places that are made ready for loops to come: some 16 KB each, and more than begin before the watchdog comes by.
  public static let maximumReadyLoops = 256
  /// Without hooks, how often the watchdog looks whether a loop that was outside any run has begun one in a new mode: every
  /// threshold at first, then after a two-hundredth of the time outside (so 10 s before it looks less often), for a thread that
  /// does without its loop for long is likely to go on so …
  public static let outsideShare: Nanoseconds = 200
  /// … and after 1 s at most, which is how long such a run may stay unseen: looking more often would wake an idle program
  /// for nothing.
  public static let longestOutsideCheck: Nanoseconds = 1 * .second
  /// How often the watchdog looks whether something is due on a loop whose thread is outside any run: every threshold at
  /// first, then after a tenth of the time outside. What is due by a timer that was known at the look before is seen in time
  /// whatever the pause …
  public static let awayShare: Nanoseconds = 10
  /// … and every 15 s at last: the four wake-ups a minute that an idle program may be charged.
  public static let longestAwayPause: Nanoseconds = 15 * .second

  /// How long a thread has been held when it is looked at for the first time: half the threshold, so that a stall that is over
  /// 2 ms after the threshold has a stack, also where a running thread answers one tick of the kernel (4 ms) later.
  var firstLook: Nanoseconds { threshold / 2 }
  /// How long the watchdog sleeps while loops turn: what begins right after it fell asleep is looked at between its first
  /// look's time and this, early enough for an answer before the threshold.
  var longestSleep: Nanoseconds { threshold - threshold / 4 }
}
