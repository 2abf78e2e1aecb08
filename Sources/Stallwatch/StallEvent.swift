/// What the stall stream reports.
public enum StallEvent: Sendable {
  /// A loop has been held for the threshold's time and still is.
  case began(Stall)
  /// The loop turned again; ``Stall/duration`` is now exact.
  case ended(Stall)
  /// It was no stall: the process was suspended, or the loop ran in a mode not yet observed.
  case cancelled(Stall)
}
