import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Writes the names of a recording's functions into its store, while the files that it was made from are still there.
enum RecordedNames {
  /// The longest time that a recording's end may take for it. A large program's debug information takes seconds.
  private static let patience = Duration.seconds(10)

  /// Names what these sessions saw. Only reports errors: the program's own status counts.
  static func write(into file: RecordingFile, of sessions: [StoredSession]) {
    let progress = ReadingProgress()
    defer { progress.end() }
    do {
      let namer = try StoreNamer(file.path, checking: false)
      defer { namer.close() }
      let outcome = try StoreSymbolizer(namer, search: SymbolSearch()).run(
        sessions: sessions.map(\.id), until: .now + patience
      ) { done, all in
        progress.update("\(Figure.count(done)) of \(Figure.count(all, "stack"))", verb: "naming")
      }
      try namer.removeUnusedImages()
      progress.end()
      if !outcome.isComplete {
        StandardError.print(
          "stallwatch: not all functions were named within \(patience.components.seconds) s; 'stallwatch symbolize "
            + "\(file.name)' names the rest")
      }
    } catch {
      progress.end()
      StandardError.print("stallwatch: the names of functions could not be written into the store: \(error)")
    }
  }
}
