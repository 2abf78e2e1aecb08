/// A line on stderr that shows the progress of a long reading: only on a terminal, and only after a second.
final class ReadingProgress {
  /// The plural of what is counted, for example `sessions`.
  private let noun: String
  private let isShown: Bool
  private let started = ContinuousClock.now
  private var next: ContinuousClock.Instant
  private var hasLine = false
  /// A shorter reading shows no progress.
  private static let patience = Duration.seconds(1)
  /// The time between two updates: nobody reads faster.
  private static let pace = Duration.milliseconds(200)

  /// Progress in `noun`. Pass false for `isShown` where the answer itself goes to the terminal line by line.
  init(_ noun: String, isShown: Bool = true) {
    self.noun = noun
    self.isShown = isShown && StandardError.isTerminal
    next = started + Self.patience
  }

  /// Reports that `read` of `all` are read.
  func update(_ read: Int, of all: Int) {
    guard isShown, ContinuousClock.now >= next else { return }
    next = .now + Self.pace
    hasLine = true
    StandardError.replaceLine("reading: \(read) of \(all) \(noun)")
  }

  /// Removes the line.
  func end() {
    if hasLine { StandardError.replaceLine("") }
    hasLine = false
  }
}
