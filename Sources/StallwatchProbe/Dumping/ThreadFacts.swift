#if os(Linux)
  import StallwatchCore
  import StallwatchLibc

  /// What the kernel says of a thread of any process without reading its memory; everybody may read it.
  struct ThreadFacts {
    /// The state letter of proc(5).
    var letter: Character
    /// CPU time in nanoseconds.
    var cpu: Nanoseconds
    /// How often it got or gave up a processor; nil where the kernel does not count.
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
      if numbers.count == 3 {
        (cpu, turns) = (numbers[0], numbers[2])
      } else {
        turns = Self.switches(of: thread, in: process)
      }
    }

    /// The two lines `…_ctxt_switches`, for kernels without "schedstat".
    private static func switches(of thread: UInt64, in process: ProcessFolder) -> UInt64? {
      let lines = process.text("task/\(thread)/status")?.split(separator: "\n") ?? []
      let counts = lines.filter { $0.contains("ctxt_switches:") }.compactMap {
        $0.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0) }
      }
      return counts.isEmpty ? nil : counts.reduce(0, &+)
    }

    /// Whether the thread has not run since these facts were read.
    func isStill(_ thread: UInt64, of process: ProcessFolder) -> Bool {
      guard let turns, let now = ThreadFacts(thread, of: process) else { return false }
      return now.turns == turns && now.cpu == cpu
    }
  }
#endif
