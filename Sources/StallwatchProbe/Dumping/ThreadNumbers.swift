#if os(Linux)
  import StallwatchCore

  /// The numbers of a process's threads as the process itself knows them: those of a container differ from ours.
  struct ThreadNumbers {
    private var ours: [UInt64: UInt64] = [:]
    private var theirs: [UInt64: UInt64] = [:]

    init(_ threads: [UInt64], of process: ProcessFolder) {
      for thread in threads {
        let number = Self.inside(thread, of: process) ?? thread
        ours[number] = thread
        theirs[thread] = number
      }
    }

    /// Our number of the thread that the process calls `number`; nil if there is no such thread.
    subscript(number: UInt64) -> UInt64? { ours[number] }

    /// What the process calls a thread of ours.
    func inside(_ thread: UInt64) -> UInt64 { theirs[thread] ?? thread }

    /// The last number of the line `NSpid:`, which has one for each nested namespace.
    private static func inside(_ thread: UInt64, of process: ProcessFolder) -> UInt64? {
      guard let status = process.text("task/\(thread)/status") else { return nil }
      let line = status.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
      return line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0) }
    }
  }
#endif
