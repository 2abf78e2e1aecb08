/// What waits for a loop whose thread is outside any run, and what it is.
public struct DueWork: Equatable, Sendable {
  /// Since when the first timer is due that is in the mode the thread left; nil: none is.
  public var timerNs: Nanoseconds?
  /// Since when work is known to wait in the main queue; nil: none does, or it is not the main loop.
  public var mainQueueNs: Nanoseconds?

  /// What is due; nil when nothing is.
  public init?(timerNs: Nanoseconds?, mainQueueNs: Nanoseconds?) {
    if timerNs == nil, mainQueueNs == nil { return nil }
    self.timerNs = timerNs
    self.mainQueueNs = mainQueueNs
  }

  /// Since when something is due.
  public var sinceNs: Nanoseconds { min(timerNs ?? .max, mainQueueNs ?? .max) }

  /// In words.
  public var words: String {
    switch (timerNs, mainQueueNs) {
    case (.some, .some): "a timer and main-queue work were due"
    case (_, .some): "main-queue work was due"
    default: "a timer was due"
    }
  }

  /// This and what was due before.
  func with(_ earlier: DueWork) -> DueWork {
    var both = self
    both.timerNs = earlier.timerNs ?? timerNs
    both.mainQueueNs = earlier.mainQueueNs ?? mainQueueNs
    return both
  }
}
