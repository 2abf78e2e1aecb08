import StallwatchCore
import StallwatchLibc
import StallwatchStore
import StallwatchSymbols

/// One run of a program under the monitor, from the command to its outcome.
struct Recording {
  /// The command, program first.
  var command: [CString]
  /// The store for its sessions; nil for a new file named after the program.
  var output: String?
  /// The monitor's configuration.
  var monitor: MonitorOptions
  /// What the sessions say that they are.
  var labels: LabelOptions
  /// Whether the names of functions go into the store.
  var withNames = true

  /// The result of a recording.
  struct Outcome {
    /// How the program ended.
    var end: ProgramLaunch.End
    /// The store's file, which may not exist.
    var file: RecordingFile
    /// The sessions that this recording added.
    var sessions: [StoredSession]
  }

  /// Runs the program. Reports on stderr what keeps it from being watched, each reason once. Throws ``Failure`` or
  /// ``StoreError`` before the program runs, never after.
  func run() throws -> Outcome {
    var environment = ProgramEnvironment()
    let name = String(decoding: command.first?.bytes ?? [], as: UTF8.self)
    let program = try ProgramLookup(path: environment["PATH"]).find(name)
    try checkSettings(in: environment)
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
    if let remark = inspection.obstacle ?? inspection.limit { Self.say("\(name) \(remark)") }

    environment.set(.store, to: file.path)
    monitor.set(in: &environment)
    labels.set(in: &environment)
    environment.set(.inject, to: libraries.inject)
    environment.set(.runtime, to: runtime)
    environment.set(.notes, to: notes.place)
    if !inspection.refusesPreload { environment.preload(libraries.preload) }

    let (process, end) = try launch(program, environment)
    if end == .unknown {
      Self.say("\(name) ended with an unknown status, because SIGCHLD was ignored; run stallwatch without ignoring it")
    }
    let words = notes.read()
    let watched = words.filter { $0.event == .watched }
    let sessions = begun.among(Self.sessions(in: file), watched: watched)
    // Do not complete a store that replaced ours.
    if !sessions.isEmpty, Self.finish(file, process: process, end: end, earlier: earlier), withNames {
      RecordedNames.write(into: file, of: sessions)
    }
    let lost = watched.count - sessions.count
    // The message below covers what a process noted about the lost store.
    Self.report(words.filter { lost <= 0 || $0.event != .trouble || $0.detail != StoreRecorder.storeIsGone })
    if lost > 0 { Self.say(Self.reasonForLoss(of: lost, file)) }
    if sessions.isEmpty, words.isEmpty, inspection.obstacle == nil, inspection.limit == nil {
      Self.say(Self.reasonForNothing(name, environment))
    }
    return Outcome(end: end, file: file, sessions: sessions)
  }

  private func launch(
    _ program: String, _ environment: ProgramEnvironment
  ) throws -> (process: pid_t, end: ProgramLaunch.End) {
    let launch = ProgramLaunch(executable: program, arguments: command, environment: environment.entries)
    let (process, end) = try launch.run()
    // From here on the program's status counts, even if stderr has no reader or has reached the largest file size.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    return (process, end)
  }

  /// The monitor reads threads and memory in /proc, and `record` its own path.
  private static var isWatchingPossible: Bool {
    #if os(Linux)
      access("/proc/self/stat", R_OK) == 0
    #else
      true
    #endif
  }

  /// Refuses settings in the environment that the monitor would not accept.
  private func checkSettings(in environment: ProgramEnvironment) throws {
    func check(_ variable: MonitorVariable, isGiven: Bool, _ expected: String, _ accepts: (String) -> Bool) throws {
      guard !isGiven, let text = environment[variable.rawValue], !text.isEmpty, !accepts(text) else { return }
      throw Failure(.badInput, "\(variable.rawValue) is “\(text)”; it must be \(expected)")
    }
    if let fault = labels.fault(in: environment) {
      throw Failure(.badInput, "\(fault.variable.rawValue) is “\(fault.value)”; it must be \(fault.expected)")
    }
    try check(.threshold, isGiven: monitor.threshold != nil, SettingRange.threshold.expected) {
      SettingRange.threshold.parse($0) != nil
    }
    try check(.keep, isGiven: monitor.keep != nil, RetentionLimits.expected) { RetentionLimits($0) != nil }
    let intervals: [(MonitorVariable, IntervalSetting?, SettingRange<Nanoseconds>)] = [
      (.sampleEvery, monitor.sampleEvery, .sampleInterval), (.driftInterval, monitor.driftInterval, .driftInterval),
    ]
    for (variable, given, range) in intervals {
      try check(variable, isGiven: given != nil, range.expectedOrOff) { IntervalSetting($0, in: range) != nil }
    }
  }

  /// Reports the processes' notes, each kind once.
  private static func report(_ notes: [InjectionNotes.Note]) {
    var reported: Set<InjectionNotes.Note.Event> = []
    for note in notes where reported.insert(note.event).inserted {
      guard let explanation = note.explanation else { continue }
      say(explanation, others: notes.count { $0.event == note.event } - 1)
    }
  }

  private static func reasonForLoss(of sessions: Int, _ file: RecordingFile) -> String {
    let what = sessions == 1 ? "a session" : "\(sessions) sessions"
    return "\(what) recorded into \(file.name) cannot be found there: the file was removed, moved or replaced; leave "
      + "it in its place until the programs have ended"
  }

  private static func sessions(in file: RecordingFile) -> [StoredSession] {
    guard file.exists else { return [] }
    return (try? StoreReader(path: file.path).sessions()) ?? []
  }

  /// Completes the sessions of processes that ended. Returns whether that was possible. Only reports errors: the
  /// program's own status counts.
  private static func finish(
    _ file: RecordingFile, process: Int32, end: ProgramLaunch.End, earlier: Int64
  ) -> Bool {
    guard file.exists else { return false }
    do {
      let exit = StoreFinaliser.Exit(pid: process, status: end.exitCode, earlierSessions: earlier)
      try StoreFinaliser.finalise(path: file.path, exit: end == .unknown ? nil : exit)
      return true
    } catch {
      say("the store could not be completed: \(error)")
      return false
    }
  }

  /// Why a program that could have been watched left no session.
  private static func reasonForNothing(_ name: String, _ environment: ProgramEnvironment) -> String {
    if let value = environment[MonitorVariable.disable.rawValue], !["", "0"].contains(value) {
      return "\(MonitorVariable.disable.rawValue) is set, so \(name) was not watched; unset it"
    }
    return
      "stallwatch saw no run loop, no event loop and no work on Dispatch's queues in \(name), or in a program that it "
      + "started, before \(name) ended, so there is nothing to report"
  }

  private static func say(_ text: String, others: Int = 0) {
    StandardError.print("stallwatch: \(text)\(others > 0 ? " (and \(others) more like it)" : "")")
  }
}
