import StallwatchCore

/// The outcomes of the stalls that begin and end within one batch: their rows are written once, in their final form.
///
/// A stall that lasts longer than a batch is gathered has its row written when it begins, and completed when it ends.
struct StallOutcomes {
  struct Outcome {
    var end: StallEnded?
    /// The cause as known when the stall ended. Nil if no samples gave one, or if the last samples withdrew it.
    var cause: StallCause?
  }

  private var outcomes: [StallID: Outcome] = [:]

  /// Reads the records before each stall's end, in the order in which they are written.
  init(of batch: [Record]) {
    for record in batch {
      switch record {
      case .stallBegan(let stall):
        // A second beginning with the same number is not written, and changes nothing.
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

  /// Begins without any outcome.
  init() {}

  /// How a stall ended; nil if it goes on, or began in an earlier batch.
  subscript(stall: StallID) -> Outcome? {
    guard let outcome = outcomes[stall], outcome.end != nil else { return nil }
    return outcome
  }
}
