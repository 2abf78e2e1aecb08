#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file in which the preloaded hooks leave word of each process: whether they brought the monitor in, and whether it
/// could write all it saw. It lives for one recording. On Linux it has no name, and is gone with `record` however that ends.
struct InjectionNotes {
  /// More than this is not read: a build that starts thousands of programs needs no more than an example.
  private static let mostBytes = 1 << 20

  /// What the hooks find it by: a path, or a descriptor's path and what that leads to, with a tab between.
  let place: String
  /// Its name, where it has one.
  private let path: String?
  private let descriptor: Int32

  /// Makes an empty file that only this user can read. Throws ``Failure``.
  init(environment: ProgramEnvironment) throws {
    let directory = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(directory)/stallwatch-notes-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw Failure(
        .unable, "\(directory) cannot hold a temporary file: \(String(cString: strerror(errno))); set TMPDIR")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    #if os(Linux)
      unlink(made)
      path = nil
      place =
        "/proc/\(getpid())/fd/\(descriptor)\t\(FilePath.real(directory) ?? directory)/\(FilePath.name(of: made)) (deleted)"
    #else
      (path, place) = (made, made)
    #endif
  }

  /// Word of one process.
  struct Note: Equatable {
    /// What happened to it.
    enum Event: String {
      /// The monitor is in it, and opens the store.
      case begun
      /// It is watched: a session was added to the store.
      case watched
      /// The store could not be written in full.
      case trouble
      /// It has another Swift runtime.
      case runtime
      /// The monitor could not be loaded.
      case load
      /// The monitor was loaded, and gave up.
      case start
      /// It was forked from a program that is watched or has several threads, and ran a loop without exec.
      case fork
    }

    /// What happened to it.
    var event: Event
    /// The process.
    var process: String
    /// Its executable.
    var program: String
    /// What was found.
    var detail: String

    init?(line: Substring) {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let event = Event(rawValue: fields[0]) else { return nil }
      (self.event, process, program, detail) = (event, fields[1], fields[2], fields[3])
    }

    /// One line for a person, with the way out; nil when all is well.
    var explanation: String? {
      let who = "\(FilePath.name(of: program)) (process \(process))"
      return switch event {
      case .begun:
        "\(who) ended within moments of its first run, before its store was open, so nothing of it is recorded"
      case .watched: nil
      case .trouble: "what \(who) recorded could not be written in full: \(detail)"
      case .runtime:
        "\(who) runs on another Swift runtime than stallwatch (\(detail)), so it was not watched; "
          + "build stallwatch and the program with the same toolchain"
      case .load:
        "the monitor could not be loaded into \(who): \(detail); install stallwatch again"
      case .start: "\(who) was not watched: \(detail)"
      case .fork:
        "\(who) was forked without exec, so its run loops were not watched; "
          + "let it exec, or fork before there are threads and run loops"
      }
    }
  }

  /// The notes so far, one of each process where one says it all. That a process began is left out once it is known what came
  /// of it, and so is the trouble of one that was not watched: that is the reason, told before.
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

  /// Removes the file. A program that still runs does without.
  func remove() {
    if let path { unlink(path) }
    close(descriptor)
  }
}
