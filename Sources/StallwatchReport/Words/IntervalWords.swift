import StallwatchCore

extension IntervalRecord.Kind {
  /// The word that people read.
  package var word: String {
    switch self {
    case .excluded: "excluded"
    case .blind: "unobserved"
    }
  }
}
