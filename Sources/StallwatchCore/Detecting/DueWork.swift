/// The work that is due on a loop whose thread is outside any run.
package struct DueWork: Equatable, Sendable {
  /// Since when the first due timer in the mode that the thread left has been due; nil: no timer is.
  package var timerNs: Nanoseconds?
  /// Since when work is known to wait in the main queue; nil: none waits, or it is not the main loop.
  package var mainQueueNs: Nanoseconds?

  /// The due work; nil when both parts are nil.
  package init?(timerNs: Nanoseconds?, mainQueueNs: Nanoseconds?) {
    if timerNs == nil, mainQueueNs == nil { return nil }
    self.timerNs = timerNs
    self.mainQueueNs = mainQueueNs
  }

  /// Since when the earlier of the two has been due.
  package var sinceNs: Nanoseconds { min(timerNs ?? .max, mainQueueNs ?? .max) }

  /// The reason that a ``StallEnded`` record gives for an away.
  package var words: String {
    switch (timerNs, mainQueueNs) {
    case (.some, .some): "a timer and main-queue work were due"
    case (_, .some): "main-queue work was due"
    default: "a timer was due"
    }
  }

  /// The work due now, with the moments of `earlier` where that has them.
  func with(_ earlier: DueWork) -> DueWork {
    var both = self
    both.timerNs = earlier.timerNs ?? timerNs
    both.mainQueueNs = earlier.mainQueueNs ?? mainQueueNs
    return both
  }
}
