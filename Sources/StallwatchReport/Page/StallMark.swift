import StallwatchCore
import StallwatchStore

/// A stall as the page's script needs it: everything but its words.
package struct StallMark: Sendable {
  /// Its row.
  package var id: Int64
  /// The row of its session.
  package var session: Int64
  /// The row of its loop.
  package var loop: Int64
  /// When it began, counted from the start of its session.
  package var start: Nanoseconds
  package var duration: Nanoseconds
  package var kind: StallKind
  package var state: StallState
  package var phase: Phase
  /// The name of its mode.
  package var mode: String
  /// What the program reported of itself when it began.
  package var annotations: [String: String]
  /// Its cause.
  package var cause: Cause
  /// How the time divides for which its thread was watched; nil where that is unknown.
  package var activity: StallCause?
  /// What looks at its thread found; empty where it was not sampled.
  package var runs: StackRuns

  /// A stall's cause, as far as the page knows it.
  package enum Cause: Sendable, Equatable {
    /// It was not sampled, or too few stacks could be read.
    case unknown
    /// One with less time than those of the page.
    case other
    /// A place in the page's causes.
    case listed(Int)
  }
}

/// What only the longest stalls have on a page.
package struct StallStory: Sendable {
  /// The stall's row.
  package var stall: Int64
  /// The stall in whole sentences.
  package var text: String
  /// The stack of the thread that held the lock, leaf first, a function a line; empty where there is none.
  package var owner: [String]
  /// The timers that it hurt, the worst lateness first, with their titles.
  package var timers: [(title: String, hurt: StoredStallTimer)]

  /// The most functions of the lock's owner, and the most timers.
  private static let most = 12

  init(_ detail: StallDetail) {
    stall = detail.listed.stall.id
    text = detail.verdict.text
    owner = detail.ownerFrames.lazy.filter { !$0.isGlue }.prefix(Self.most)
      .map { $0.label + ($0.location.map { " at \($0.label)" } ?? "") }
    timers = Array(detail.timers.prefix(Self.most))
  }
}
