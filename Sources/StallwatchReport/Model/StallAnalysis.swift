import StallwatchCore

/// What a stall's samples show.
package struct StallAnalysis: Sendable {
  /// The number of samples.
  package var sampleCount: Int
  /// The callout that CF was making; nil where the stacks do not show it.
  package var callout: Callout?
  /// The stall's signature; nil where too few stacks could be read.
  package var signature: Signature?
  /// Whom its samples blame; nil with the signature.
  package var blame: Blame?
  /// The cause in words, without a full stop; nil with the signature.
  package var sentence: String? { blame.map { CauseSentence($0).description } }
  /// The same with the signature that the stall counts with in a report: `merged` has those that count with another.
  package func counted(by merged: [Signature: Signature]) -> StallAnalysis {
    var counted = self
    if let whole = signature.flatMap({ merged[$0] }) { counted.signature = whole }
    return counted
  }

  /// What the thread was blocked on longest; nil where that took less than a tenth of the time.
  package var blockedOn: BlockedOn?
  /// How long it was blocked on that.
  package var blockedOnTime: Nanoseconds = 0
}
