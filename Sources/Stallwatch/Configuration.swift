import StallwatchCore

/// How an embedded monitor watches and where it writes.
public struct Configuration: Sendable {
  /// The store's path, relative to the working directory at the start; no symbolic link. The monitor creates a missing
  /// store and adds a session to an existing one. Default `stallwatch.stallwatch` in the working directory.
  public var store: String
  /// The length from which a span is a stall, 1 ms to 1 day. Default 50 ms: the W3C's bound for a long task, three
  /// frames at 60 Hz.
  public var threshold: Duration = .milliseconds(50)
  /// Whether the monitor watches the main loop from the start. Default true: users wait for that loop.
  public var watchesMainLoop = true
  /// Whether the monitor watches every loop of the process, under its thread's name. Needs the product
  /// `StallwatchHooks`, without which it sees only named loops. Default false.
  public var watchesEveryLoop = false
  /// How often the monitor samples a held thread while its stall goes on, 1 ms to 1 day; nil: never, and stalls have
  /// neither stacks nor causes. A sample may come half of this late, with figures that are due then. Default 10 ms.
  public var sampleInterval: Duration? = .milliseconds(10)
  /// How many times a second the monitor samples busy loops for a profile, 1 to 1,000; nil: no profile. Default nil.
  public var profileRate: Int?
  /// The time between two ticks of the drift probe, 10 ms to 1 h; nil: no probe. Each tick wakes the waiting loops, and
  /// shows how late they are and how late the machine is by itself. While no loop turns by its own work, ticks thin out
  /// to one a minute, of one loop. Default 1 s: a program that works can spare that, and a minute has enough ticks to
  /// tell the two apart.
  public var driftInterval: Duration? = .seconds(1)
  /// Modes, by name, that the drift probe ticks in besides a loop's common modes. Default none: timers that should
  /// always fire are in the common modes.
  public var driftModes: [String] = []
  /// What the program is called, such as `checkout`, so that its sessions can be told from those of others, and compared:
  /// 1 to 256 bytes in one line, as the next three. What is nil here, the environment may say: `STALLWATCH_SERVICE` and so
  /// on. Where nobody says it, sessions are read as of the program's file name.
  public var service: String?
  /// The program's version, such as `4.2.0`. Where nobody says it, the first 12 digits of the program's build-id.
  public var release: String?
  /// Where the program runs, such as `production`. Where nobody says it, empty.
  public var environment: String?
  /// The machine, container or device that the program runs on. Where nobody says it, the machine's name.
  public var instance: String?
  /// Other facts about the session, by name, such as `region` = `eu`: 32 at most. Names have 1 to 64 letters, digits and
  /// any of `. _ - /`. `STALLWATCH_TAGS` adds those of other names.
  public var tags: [String: String] = [:]
  /// What the store keeps. Default: 30 days, and 64 MB.
  public var retention = Retention()
  /// How the monitor got into the process; the session stores it. Default `embedded`. The library that `record` brings
  /// in says `injected`, and so claims the hooks and the environment.
  package var origin = "embedded"

  /// When the program began to wait for the monitor, on the monotonic clock, as the hooks say; 0: it does not wait.
  package var startUpNs: Nanoseconds = 0

  /// If set, the program does not wait for the store. Called on the store's thread once the store is open, or with the
  /// reason why it cannot be opened.
  package var storeOpened: (@Sendable (MonitorError?) -> Void)?

  /// Makes a configuration with a store's path and the defaults.
  public init(store: String = "stallwatch.stallwatch") { self.store = store }
}
