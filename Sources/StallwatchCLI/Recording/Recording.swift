import StallwatchCore
import StallwatchReport
import StallwatchStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One run of a program under the monitor, from the command to what came of it.
struct Recording {
  /// The command, program first.
  var command: [CString]
  /// Where its sessions go; nil for a new file named for the program.
  var output: String?
  /// How the monitor watches.
  var monitor: MonitorOptions

  /// What came of it.
  struct Outcome {
    /// How the program ended.
    var end: ProgramLaunch.End
    /// The store, whether or not one was made.
    var file: RecordingFile
    /// The sessions that this run added.
    var sessions: [StoredSession]
  }

  /// Runs the program. Says on stderr what keeps it from being watched, each reason once. Throws ``Failure`` or
  /// ``StoreError`` before the program runs; never after.
  func run() throws -> Outcome {
    var environment = ProgramEnvironment()
    let name = String(decoding: command.first?.bytes ?? [], as: UTF8.self)
    let program = try ProgramLookup(path: environment["PATH"]).find(name)
    try checkDurations(in: environment)
    let file = RecordingFile(named: output, program: program)
    guard Self.isWatchingPossible else {
      Self.say("/proc is not mounted, so \(name) was not watched; mount it, or record outside")
      return Outcome(end: try launch(program, environment).end, file: file, sessions: [])
    }
    try file.check()
    let libraries = try MonitorLibraries.find(environment: environment)
    let search = LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"])
    let runtime = try libraries.runtime(search: search)
    let notes = try InjectionNotes(environment: environment)
    defer { notes.remove() }
    let earlier = Self.sessions(in: file).map(\.id).max() ?? 0
    let begun = RecordedSessions()

    let inspection = ProgramInspection(path: program, libraries: search)
    if let obstacle = inspection.obstacle { Self.say("\(name) \(obstacle)") }

    environment.set(.store, to: file.path)
    monitor.set(in: &environment)
    environment.set(.inject, to: libraries.inject)
    environment.set(.runtime, to: runtime)
    environment.set(.notes, to: notes.place)
    if !inspection.refusesPreload { environment.preload(libraries.preload) }

    let (process, end) = try launch(program, environment)
    if end == .unknown { Self.say("\(name) has ended, but SIGCHLD was ignored, so the system did not keep its status") }
    let words = notes.read()
    let watched = words.filter { $0.event == .watched }
    let sessions = begun.among(Self.sessions(in: file), watched: watched)
    // Another store in its place is not ours to complete.
    if !sessions.isEmpty { Self.finish(file, process: process, end: end, earlier: earlier) }
    let lost = watched.count - sessions.count
    // What a process saw of that is what we say below.
    Self.tell(words.filter { lost <= 0 || $0.event != .trouble || $0.detail != StoreRecorder.storeIsGone })
    if lost > 0 { Self.say(Self.reasonForLoss(of: lost, file)) }
    if sessions.isEmpty, words.isEmpty, inspection.obstacle == nil {
      Self.say(Self.reasonForNothing(name, inspection, environment))
    }
    return Outcome(end: end, file: file, sessions: sessions)
  }

  private func launch(
    _ program: String, _ environment: ProgramEnvironment
  ) throws -> (process: pid_t, end: ProgramLaunch.End) {
    let launch = ProgramLaunch(executable: program, arguments: command, environment: environment.entries)
    let (process, end) = try launch.run()
    // From here on the program's status is ours, also where nobody reads our stderr any more, or it is as long as a file
    // may be.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    return (process, end)
  }

  /// Threads and memory are read there, and so is our own path.
  private static var isWatchingPossible: Bool {
    #if os(Linux)
      access("/proc/self/stat", R_OK) == 0
    #else
      true
    #endif
  }

  /// Refuses a duration in the environment that no monitor would take.
  private func checkDurations(in environment: ProgramEnvironment) throws {
    let given: [(MonitorVariable, DurationArgument?)] = [
      (.threshold, monitor.threshold), (.sampleEvery, monitor.sampleEvery),
    ]
    for (variable, option) in given where option == nil {
      guard let text = environment[variable.rawValue], !text.isEmpty else { continue }
      guard let value = DurationNotation.parse(text), value >= .millisecond else {
        throw Failure(
          .badInput, "\(variable.rawValue) is “\(text)”; it must be a duration of 1ms or more, such as 50ms")
      }
    }
    guard monitor.driftInterval == nil, let text = environment[MonitorVariable.driftInterval.rawValue], !text.isEmpty,
      DriftInterval(text) == nil
    else { return }
    throw Failure(
      .badInput, "\(MonitorVariable.driftInterval.rawValue) is “\(text)”; it must be \(DriftInterval.expected)")
  }

  /// Says what the processes left word of, each kind of it once.
  private static func tell(_ notes: [InjectionNotes.Note]) {
    var told: Set<InjectionNotes.Note.Event> = []
    for note in notes where told.insert(note.event).inserted {
      guard let explanation = note.explanation else { continue }
      say(explanation, others: notes.count { $0.event == note.event } - 1)
    }
  }

  private static func reasonForLoss(of sessions: Int, _ file: RecordingFile) -> String {
    let what = sessions == 1 ? "a session" : "\(sessions) sessions"
    return "\(what) that \(sessions == 1 ? "was" : "were") recorded into \(file.name) cannot be found there: "
      + "it was removed, moved or replaced meanwhile; leave a store in its place until the programs have ended"
  }

  private static func sessions(in file: RecordingFile) -> [StoredSession] {
    guard file.exists else { return [] }
    return (try? StoreReader(path: file.path).sessions()) ?? []
  }

  /// Completes the sessions of processes that are gone. Trouble is told and no more: the program's own end counts.
  private static func finish(_ file: RecordingFile, process: Int32, end: ProgramLaunch.End, earlier: Int64) {
    guard file.exists else { return }
    do {
      let exit = StoreFinaliser.Exit(pid: process, status: end.exitCode, earlierSessions: earlier)
      try StoreFinaliser.finalise(path: file.path, exit: end == .unknown ? nil : exit)
    } catch {
      say("the store could not be completed: \(error)")
    }
  }

  /// Why a program that could have been watched left no session.
  private static func reasonForNothing(
    _ name: String, _ inspection: ProgramInspection, _ environment: ProgramEnvironment
  ) -> String {
    if let value = environment[MonitorVariable.disable.rawValue], !["", "0"].contains(value) {
      return "\(MonitorVariable.disable.rawValue) is set, so \(name) was not watched; unset it"
    }
    let nothing =
      "neither \(name) nor a program that it started was seen to run a run loop of Foundation's before \(name) ended, so "
      + "there is nothing to report"
    guard inspection.kind == .foundation else { return nothing }
    return nothing + "; an async main runs none on Linux: Dispatch serves its main actor"
  }

  private static func say(_ text: String, others: Int = 0) {
    StandardError.print("stallwatch: \(text)\(others > 0 ? " (and \(others) more like it)" : "")")
  }
}
