import StallwatchLibc

/// The file in which the preloaded hooks leave a note on each process: whether they loaded the monitor, and whether it
/// could write all it saw. It lives for one recording. On Linux it has no name and vanishes however `record` ends.
struct InjectionNotes {
  /// The most bytes to read. For a build that starts thousands of programs, examples suffice.
  private static let mostBytes = 1 << 20

  /// How the hooks find the file: its path, or its descriptor's path, a tab, and the path that this resolves to.
  let place: String
  /// The file's path; nil where it has no name.
  private let path: String?
  private let descriptor: Int32

  /// Makes an empty file that only this user can read. Throws ``Failure``.
  init(environment: ProgramEnvironment) throws {
    let directory = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(directory)/stallwatch-notes-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw Failure(
        .unable, "cannot create a temporary file in \(directory): \(String(cString: strerror(errno))); set TMPDIR")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    #if os(Linux)
      unlink(made)
      path = nil
      place =
        "/proc/\(getpid())/fd/\(descriptor)\t\(realPath(directory) ?? directory)/\(FilePath.name(of: made)) (deleted)"
    #else
      (path, place) = (made, made)
    #endif
  }

  /// A note on one process.
  struct Note: Equatable {
    /// What happened to the process.
    enum Event: String {
      /// The monitor is loaded and opens the store.
      case begun
      /// The process is watched: the store has a session for it.
      case watched
      /// The monitor could not write everything to the store.
      case trouble
      /// A part of the hooks did not prove right in the process, and was switched off.
      case seam
      /// The process uses another Swift runtime.
      case runtime
      /// The monitor could not be loaded.
      case load
      /// The monitor was loaded, but gave up.
      case start
      /// The process was forked from a watched or multi-threaded program and ran a loop without exec.
      case fork
    }

    var event: Event
    /// The process ID.
    var process: String
    /// The path of its executable.
    var program: String
    /// Details, depending on the event.
    var detail: String

    init?(line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let event = Event(rawValue: fields[0]) else { return nil }
      (self.event, process, program, detail) = (event, fields[1], fields[2], fields[3])
    }

    /// One line for people, with the remedy; nil when all is well.
    var explanation: String? {
      let who = "\(FilePath.name(of: program)) (process \(process))"
      return switch event {
      case .begun:
        "\(who) ended right after its first run began, before its store was open, so nothing of it is recorded"
      case .watched: nil
      case .trouble: "what the monitor saw in \(who) could not be written in full: \(detail)"
      case .seam: "not all of \(who) could be watched: \(detail)"
      case .runtime:
        "\(who) uses another Swift runtime than stallwatch (\(detail)), so it was not watched; "
          + "build stallwatch and the program with the same toolchain"
      case .load:
        "the monitor could not be loaded into \(who): \(detail); install stallwatch again"
      case .start: "\(who) was not watched: \(detail)"
      case .fork:
        "\(who) was forked without exec, so its run loops were not watched; "
          + "call exec in it, or fork before there are threads and run loops"
      }
    }
  }

  /// The notes so far, reduced to one per process where one suffices. Leaves out that a process began once its outcome
  /// is known, and the trouble of a process that was not watched: an earlier note gives that as the reason.
  func read() -> [Note] {
    let notes = readAll()
    let refused = Set(notes.filter { $0.event == .start }.map(\.process))
    let settled = Set(notes.filter { [.start, .watched, .trouble].contains($0.event) }.map(\.process))
    return notes.filter { note in
      switch note.event {
      case .begun: !settled.contains(note.process)
      case .trouble: !refused.contains(note.process)
      default: true
      }
    }
  }

  private func readAll() -> [Note] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var content: [UInt8] = []
    while content.count < Self.mostBytes {
      let count = pread(descriptor, &bytes, bytes.count, off_t(content.count))
      guard count > 0 else { break }
      content += bytes[..<count]
    }
    return String(decoding: content, as: UTF8.self).split(separator: "\n").compactMap(Note.init(line:))
  }

  /// Removes the file. A program that still runs does not need it.
  func remove() {
    if let path { unlink(path) }
    close(descriptor)
  }
}
