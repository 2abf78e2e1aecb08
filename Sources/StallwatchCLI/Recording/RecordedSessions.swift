import StallwatchCore
import StallwatchLibc
import StallwatchStore

/// Tells one recording's sessions from others in the same store, or in a store that replaced it meanwhile.
struct RecordedSessions {
  private let here = ProcessIdentity.current()
  private let begunNs: Nanoseconds

  /// Covers a recording that begins now.
  init() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    begunNs = Nanoseconds(time.tv_sec) * .second + Nanoseconds(time.tv_nsec)
  }

  /// The sessions that began on this machine since then, in a process that left a note. An embedded monitor leaves
  /// none, so its sessions always count; where no note could be written, all sessions count.
  func among(_ sessions: [StoredSession], watched: [InjectionNotes.Note]) -> [StoredSession] {
    let processes = Set(watched.map(\.process))
    return sessions.filter { session in
      let record = session.record
      return record.startedNs >= begunNs && record.process.bootID == here.bootID && record.process.host == here.host
        && (processes.isEmpty || record.origin == "embedded" || processes.contains("\(record.process.pid)"))
    }
  }
}
