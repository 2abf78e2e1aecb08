import StallwatchCore

/// What the stall stream tells.
public enum StallEvent: Sendable {
  /// A loop has been held for the threshold's time and still is.
  case began(Stall)
  /// It turned again; ``Stall/duration`` is now exact.
  case ended(Stall)
  /// It was no stall: the process was suspended, or the loop ran in a mode not yet observed.
  case cancelled(Stall)
}

/// A stall as the stream tells it.
public struct Stall: Sendable, Identifiable {
  /// Its number within the session: 1, 2, 3 … in the order in which stalls became known.
  public let id: StallID
  /// The held loop's name.
  public let loop: String
  /// The mode the loop ran in.
  public let mode: String
  /// The phase it was seen in: `prepare`, `sources` or `service`.
  public let phase: Phase
  /// How many runs of the loop were active, one inside the other: 1 is not nested.
  public let depth: Int
  /// `stall`: one span. `congestion`: a busy run in which no span is a stall, known only when it is over.
  public let kind: StallKind
  /// When it began, in nanoseconds of the monotonic clock (`CLOCK_MONOTONIC` on Linux).
  public let startedNs: Nanoseconds
  /// How long it lasted, in nanoseconds; for one that has just begun, how long so far.
  public var duration: Nanoseconds
  /// What the program said of itself when it began.
  public let annotations: [String: String]

  /// How bad it is, by its duration.
  public var severity: Severity { Severity(duration: duration) }
}
