import StallwatchCore
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells the sessions of one recording from others in the same store, or in one that has taken its place meanwhile.
struct RecordedSessions {
  private let here = ProcessIdentity.current()
  private let begunNs: Nanoseconds

  /// Of a recording that begins now.
  init() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    begunNs = Nanoseconds(time.tv_sec) * .second + Nanoseconds(time.tv_nsec)
  }

  /// Those of `sessions` that began on this machine since, in a process that left word of it. An embedded monitor leaves
  /// none; nor is there any where the notes could not be written.
  func among(_ sessions: [StoredSession], watched: [InjectionNotes.Note]) -> [StoredSession] {
    let processes = Set(watched.map(\.process))
    return sessions.filter { session in
      let record = session.record
      return record.startedNs >= begunNs && record.process.bootID == here.bootID && record.process.host == here.host
        && (processes.isEmpty || record.origin == "embedded" || processes.contains("\(record.process.pid)"))
    }
  }
}
