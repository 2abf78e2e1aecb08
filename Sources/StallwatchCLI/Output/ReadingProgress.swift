/// A line on stderr that tells a person how far a long reading has come: only on a terminal, and only after a second.
final class ReadingProgress {
  /// What is counted, for example `sessions`.
  private let noun: String
  private let isShown: Bool
  private let started = ContinuousClock.now
  private var next: ContinuousClock.Instant
  private var hasLine = false
  /// Reading that takes no longer needs no progress.
  private static let patience = Duration.seconds(1)
  /// A person reads no faster than this.
  private static let pace = Duration.milliseconds(200)

  /// A progress in `noun`; `isShown` false where the answer itself goes to the terminal line by line.
  init(_ noun: String, isShown: Bool = true) {
    self.noun = noun
    self.isShown = isShown && StandardError.isTerminal
    next = started + Self.patience
  }

  /// `read` of `all` are read.
  func update(_ read: Int, of all: Int) {
    guard isShown, ContinuousClock.now >= next else { return }
    next = .now + Self.pace
    hasLine = true
    StandardError.replaceLine("reading: \(read) of \(all) \(noun)")
  }

  /// Takes the line away again.
  func end() {
    if hasLine { StandardError.replaceLine("") }
    hasLine = false
  }
}
