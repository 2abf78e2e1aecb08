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
      case .samples(let reported):
        guard let place = openOutcome(of: reported.stall) else { continue }
        outcomes.values[place].cause = reported.cause
      case .stallEnded(let end):
        guard let place = openOutcome(of: end.id) else { continue }
        outcomes.values[place].end = end
      default: continue
      }
    }
  }

  /// Where the outcome of a stall lies that began in the batch and has no end yet.
  private func openOutcome(of stall: StallID) -> [StallID: Outcome].Index? {
    outcomes.index(forKey: stall).flatMap { outcomes.values[$0].end == nil ? $0 : nil }
  }

  /// Begins without any outcome.
  init() {}

  /// How a stall ended; nil if it goes on, or began in an earlier batch.
  subscript(stall: StallID) -> Outcome? {
    guard let outcome = outcomes[stall], outcome.end != nil else { return nil }
    return outcome
  }
}
