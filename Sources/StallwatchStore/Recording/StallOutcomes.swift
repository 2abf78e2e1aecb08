import StallwatchCore

/// What a batch tells of the stalls that begin and end within it: their rows are written once, as they will stay.
///
/// A stall that lasts longer than a batch is gathered has its row written when it begins, and completed when it ends.
struct StallOutcomes {
  struct Outcome {
    var end: StallEnded?
    /// As known when the stall ended. Nil when no samples told it, or the last ones took it back.
    var cause: StallCause?
  }

  private var outcomes: [StallID: Outcome] = [:]

  /// Reads what is told before each stall's end; the order is that in which the records are written.
  init(of batch: [Record]) {
    for record in batch {
      switch record {
      case .stallBegan(let stall):
        // A second beginning under one number is not written, and says nothing of the first.
        if outcomes[stall.id] == nil { outcomes[stall.id] = Outcome() }
      case .samples(let told):
        guard let outcome = outcomes[told.stall], outcome.end == nil else { continue }
        outcomes[told.stall]?.cause = told.cause
      case .stallEnded(let end):
        guard let outcome = outcomes[end.id], outcome.end == nil else { continue }
        outcomes[end.id]?.end = end
      default: continue
      }
    }
  }

  /// Nothing is known of any stall.
  init() {}

  /// How a stall ended; nil if it goes on, or began in an earlier batch.
  subscript(stall: StallID) -> Outcome? {
    guard let outcome = outcomes[stall], outcome.end != nil else { return nil }
    return outcome
  }
}
