import StallwatchReport
import StallwatchStore

/// A line on stderr that shows the progress of a long reading: only on a terminal, and only after a second.
final class ReadingProgress {
  private let isShown: Bool
  private var next = ContinuousClock.now + patience
  private var hasLine = false
  /// A shorter reading shows no progress.
  private static let patience = Duration.seconds(1)
  /// The time between two updates: nobody reads faster.
  private static let pace = Duration.milliseconds(200)

  /// Pass false for `isShown` where the answer itself goes to the terminal line by line.
  init(isShown: Bool = true) { self.isShown = isShown && StandardError.isTerminal }

  /// Shows progress while `body` reads the stores that it opens with ``open(_:)``. If a recording began meanwhile in
  /// one of them, it reads again (``StoreReader/undisturbed(_:)``). Throws what `body` throws.
  static func reading<Answer>(_ body: (ReadingProgress) throws -> Answer) throws -> Answer {
    let progress = ReadingProgress()
    defer { progress.end() }
    return try StoreReader.undisturbed { try body(progress) }
  }

  /// Opens the store at `path` and shows how many of its rows are read. Throws `StoreError`.
  func open(_ path: String) throws -> StoreReader {
    try StoreReader(path: path) { self.update("\(Figure.count($0, "row")) of \(path)") }
  }

  /// Opens the store at `path` for what `reading` asks for.
  func open(_ path: String, _ reading: StoreReading) throws -> StoreReader {
    try reading.reader(of: open(path), path: path)
  }

  /// Shows what has been done so far.
  func update(_ done: @autoclosure () -> String, verb: String = "reading") {
    guard isShown, ContinuousClock.now >= next else { return }
    next = .now + Self.pace
    hasLine = true
    StandardError.replaceLine("\(verb): \(done())")
  }

  /// Removes the line.
  func end() {
    if hasLine { StandardError.replaceLine("") }
    hasLine = false
  }
}
