import StallwatchCore
import StallwatchStore

/// One side of a comparison: the sessions of all its stores.
package struct ComparedSide {
  /// A stall's row and the store that holds it.
  package struct Place: Sendable {
    package var store: String
    package var stall: Int64
  }

  /// What is known of a cause beyond its stalls in each session.
  package struct Cause {
    package var signature: Signature
    package var blame: Blame?
    /// Nil where no row of a store names it.
    package var worst: (place: Place, duration: Nanoseconds)?

    /// Sets every property as given.
    package init(signature: Signature, blame: Blame?, worst: (place: Place, duration: Nanoseconds)? = nil) {
      (self.signature, self.blame, self.worst) = (signature, blame, worst)
    }
  }

  package var stores: [String] = []
  package var sessions: [ComparedSession] = []
  /// Sessions that another store of the side has as well; they count once.
  var repeated = 0
  /// By the key of the signature.
  package var causes: [String: Cause] = [:]
  package var stalls = StallCounts()
  /// How many stalls were sampled and had no readable stack, by what their thread mostly did: they may be of any cause
  /// in which it did that.
  var unread: [ThreadActivity: Int] = [:]

  /// A side without sessions.
  package init() {}

  /// Watched time of all loops together, in seconds.
  var seconds: Double { sessions.reduce(0) { $0 + $1.seconds } }
  /// Iterations of all loops.
  var iterations: UInt64 { sessions.map(\.iterations).saturatingSum() }
  /// The labels that all sessions have in common; nil where there are none.
  var labels: CommonLabels? {
    let all = sessions.compactMap(\.labels)
    return all.first.map { all.dropFirst().reduce($0) { $0.common(with: $1) } }
  }

  /// The stalls of a cause: how many, and for how long in all.
  func total(of key: String) -> (count: Int, time: Nanoseconds) {
    let all = sessions.compactMap { $0.causes[key] }
    return (all.reduce(0) { $0 + $1.count }, all.map(\.total).saturatingSum())
  }

  /// Takes causes together that are one bug, as reports do.
  mutating func merge(_ merged: [Signature: Signature]) {
    for (part, whole) in merged.sorted(by: { $0.key.key < $1.key.key }) {
      guard let cause = causes.removeValue(forKey: part.key) else { continue }
      var known = causes[whole.key] ?? Cause(signature: whole, blame: cause.blame, worst: cause.worst)
      if cause.worst?.duration ?? 0 > known.worst?.duration ?? 0 { known.worst = cause.worst }
      causes[whole.key] = known
      for place in sessions.indices {
        guard let stalls = sessions[place].causes.removeValue(forKey: part.key) else { continue }
        sessions[place].causes[whole.key, default: SessionCause()].add(stalls)
      }
    }
  }
}
