import StallwatchCore

/// A stall as ``Monitor/stalls`` reports it.
public struct Stall: Sendable, Identifiable {
  /// What kind of hold-up it is.
  public enum Kind: String, Sendable {
    /// One span of at least the threshold.
    case stall
    /// A busy run of at least the threshold in which no span is a stall. Known only when it is over.
    case congestion
    /// At least the threshold outside any run, while something was due on the loop.
    case away
  }

  /// The interval between two activities of the loop that it was seen in.
  public enum Phase: String, Sendable {
    /// `beforeTimers` to `beforeSources`.
    case prepare
    /// `beforeSources` to `beforeWaiting`: blocks and version 0 sources.
    case sources
    /// `beforeWaiting` to `afterWaiting`: the loop sleeps.
    case waiting
    /// `afterWaiting` to `beforeTimers`: a timer, the main queue or a version 1 source.
    case service
  }

  /// How bad it is, by its duration. The bounds are those of Apple's Instruments for hangs; `long` begins at the bound
  /// of the W3C's Long Tasks.
  public enum Severity: String, Sendable {
    /// Less than 50 ms: only with a threshold below the default.
    case brief
    /// 50 ms or more.
    case long
    /// 250 ms or more.
    case microhang
    /// 500 ms or more.
    case hang
    /// 2 s or more.
    case severe
  }

  /// Its number within the session: 1, 2, 3 … in the order in which stalls became known.
  public let id: UInt64
  /// The held loop's name.
  public let loop: String
  /// The name of the mode that the loop ran in.
  public let mode: String
  /// The phase it was seen in.
  public let phase: Phase
  /// How many runs of the loop were active, one inside the other; 1 is not nested, 0 is ``Kind/away``.
  public let depth: Int
  /// What kind of hold-up it is.
  public let kind: Kind
  /// When it began, in nanoseconds of the monotonic clock (`CLOCK_MONOTONIC` on Linux): a moment to hold against
  /// others.
  public let startedNs: UInt64
  /// How long it lasted; in ``StallEvent/began(_:)``, how long so far.
  public internal(set) var duration: Duration
  /// What the program said of itself when the stall began.
  public let annotations: [String: String]

  /// How bad it is, by its duration.
  public var severity: Severity { Severity(StallwatchCore.Severity(duration: duration.nanoseconds ?? .max)) }
}

extension Stall {
  init(_ began: StallBegan, loop: String, mode: String) {
    id = began.id.rawValue
    self.loop = loop
    self.mode = mode
    phase = Phase(began.phase)
    depth = began.depth
    kind = Kind(began.kind)
    startedNs = began.startedNs
    duration = Duration(nanoseconds: began.detectedNs.since(began.startedNs))
    annotations = began.annotations
  }
}

extension Stall.Kind {
  init(_ kind: StallKind) {
    self =
      switch kind {
      case .stall: .stall
      case .congestion: .congestion
      case .away: .away
      }
  }
}

extension Stall.Phase {
  init(_ phase: StallwatchCore.Phase) {
    self =
      switch phase {
      case .prepare: .prepare
      case .sources: .sources
      case .waiting: .waiting
      case .service: .service
      }
  }
}

extension Stall.Severity {
  init(_ severity: StallwatchCore.Severity) {
    self =
      switch severity {
      case .brief: .brief
      case .long: .long
      case .microhang: .microhang
      case .hang: .hang
      case .severe: .severe
      }
  }
}

/// What the stall stream reports.
public enum StallEvent: Sendable {
  /// A loop has been held for the threshold's time and still is.
  case began(Stall)
  /// The loop turned again; ``Stall/duration`` is now exact.
  case ended(Stall)
  /// It was no stall: the process was suspended, or the loop ran in a mode not yet observed.
  case cancelled(Stall)
}
