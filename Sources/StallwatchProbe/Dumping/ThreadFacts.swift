#if os(Linux)
  import StallwatchCore
  import StallwatchLibc

  /// What the kernel says of a thread of any process without reading its memory; everybody may read it.
  struct ThreadFacts {
    /// The state letter of proc(5).
    var letter: Character
    /// CPU time in nanoseconds.
    var cpu: Nanoseconds
    /// Nanoseconds for which it was runnable without a processor, and how often it got one; nil where the kernel does not
    /// count.
    var runDelay: Nanoseconds?
    var turns: UInt64?

    /// Nil when there is no such thread.
    init?(_ thread: UInt64, of process: ProcessFolder) {
      guard let stat = process.bytes("task/\(thread)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")) else {
        return nil
      }
      // The name in brackets may contain anything; the first field after it is the third.
      let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard fields.count > 12, let letter = fields[0].first else { return nil }
      self.letter = letter
      let ticks = (Nanoseconds(fields[11]) ?? 0) + (Nanoseconds(fields[12]) ?? 0)
      cpu = ticks * (.second / Nanoseconds(max(1, sysconf(Int32(_SC_CLK_TCK)))))
      let numbers = process.text("task/\(thread)/schedstat")?.split(separator: " ").compactMap { UInt64($0) } ?? []
      guard numbers.count == 3 else { return }
      (cpu, runDelay, turns) = (numbers[0], numbers[1], numbers[2])
    }

    /// Whether the thread has not run since these facts were read.
    func isStill(_ thread: UInt64, of process: ProcessFolder) -> Bool {
      guard let turns, let now = ThreadFacts(thread, of: process) else { return false }
      return now.turns == turns && now.cpu == cpu
    }
  }
#endif
