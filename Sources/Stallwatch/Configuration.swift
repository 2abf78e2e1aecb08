import StallwatchCore

/// How an embedded monitor watches and where it writes.
public struct Configuration: Sendable {
  /// The store's path, seen from the working directory at the start; no symbolic link. It is made if there is none; an
  /// existing store gets a further session. Default `stallwatch.stallwatch` in the working directory.
  public var store: String
  /// A span of at least this is a stall, in nanoseconds, 1 ms or more. Default 50 ms: the W3C's bound for a long task,
  /// three frames at 60 Hz.
  public var threshold: Nanoseconds = 50 * .millisecond
  /// Whether the main loop is watched from the start. Default true: it is the one that users wait for.
  public var watchesMainLoop = true
  /// Whether every loop of the process is watched, under its thread's name. Needs the product `StallwatchHooks`,
  /// without which only named loops can be seen. Default false.
  public var watchesEveryLoop = false
  /// How often a held thread is looked at while its stall goes on, in nanoseconds, 1 ms or more; nil: never, and stalls
  /// have neither stacks nor causes. Default 10 ms.
  public var sampleInterval: Nanoseconds? = 10 * .millisecond
  /// How many times a second busy loops are looked at for a profile, 1 to 1,000; nil: no profile. Default nil.
  public var profileRate: Int?
  /// The time between two ticks of the drift probe, in nanoseconds, 10 ms to 1 h; nil: no probe. Each tick wakes the loops
  /// that wait, and tells how late they are and how late the machine is by itself. Default 1 s: a few wake-ups a second are
  /// what an idle program can spare, and a minute has ticks enough to tell the two apart.
  public var driftInterval: Nanoseconds? = 1 * .second
  /// Modes, by name, that the drift probe is in besides a loop's common ones. Default none: timers that are to fire always
  /// are in the common modes.
  public var driftModes: [String] = []
  /// How the monitor got into the process, as the session keeps it. Default `embedded`; the library that `record`
  /// brings in says `injected`, and thereby that the hooks and the environment are meant for it.
  public var origin = "embedded"

  /// When the program began to wait for the monitor, as the hooks said to the library that `record` brings in; 0: it does not.
  package var startUpNs: Nanoseconds = 0

  /// If given, the program does not wait for the store, and this is called on the store's thread when it is open, or with the
  /// reason why it cannot be.
  package var storeOpened: (@Sendable (MonitorError?) -> Void)?

  /// The defaults, with a store's path.
  public init(store: String = "stallwatch.stallwatch") { self.store = store }
}
