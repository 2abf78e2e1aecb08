import StallwatchCore

@testable import StallwatchReport
@testable import StallwatchStore

/// A suite that makes the two sides of a comparison by hand and judges them.
protocol HandMadeSides {}

extension HandMadeSides {
  static func signature(_ name: String) -> Signature {
    Signature(key: name, title: name, frames: [name], call: nil)
  }

  /// A side of sessions of one hour each with these causes, each with its durations in milliseconds, spread evenly over
  /// all sessions.
  func side(
    _ causes: [String: [Nanoseconds]], sessions: Int = 1, hours: Double = 1, iterations: UInt64 = 100_000,
    threshold: Nanoseconds = 50 * .millisecond, spans: [Nanoseconds] = [], burst: Bool = false
  ) -> ComparedSide {
    var side = ComparedSide()
    side.stores = ["store"]
    for number in 0..<sessions {
      var session = ComparedSession(duration: 3_600 * .second, threshold: threshold)
      session.seconds = hours * 3_600
      session.iterations = iterations
      for (name, durations) in causes {
        let own = durations.indices.filter { $0 % sessions == number }
        for (place, stall) in own.enumerated() {
          let share = (Double(place) + 0.5) / Double(own.count) * (burst ? 0.01 : 1)
          session.addStall(
            cause: name, at: Nanoseconds(share * 3_600e9), duration: durations[stall] * .millisecond)
        }
      }
      if !spans.isEmpty {
        // No two sessions are quite alike.
        let scaled = spans.map { $0 + $0 / 200 * Nanoseconds(number) }
        session.modes[.init(loop: "main", mode: "default")] = ["span": .distribution(StoredMetric(samples: scaled))]
      }
      side.sessions.append(session)
    }
    for (name, durations) in causes {
      side.causes[name] = ComparedSide.Cause(
        signature: Self.signature(name), blame: nil,
        worst: (ComparedSide.Place(store: "store", stall: 7), durations.max() ?? 0))
    }
    return side
  }

  func judge(_ base: ComparedSide, _ new: ComparedSide) -> Comparison { Comparer().judge(base: base, new: new) }

  func verdicts(_ comparison: Comparison) -> [String] {
    comparison.findings.map { "\($0.verdict) \($0.subject) \($0.question)" }
  }

  func steady(_ count: Int, _ length: Nanoseconds = 100) -> [Nanoseconds] {
    (0..<count).map { length + Nanoseconds($0 % 7) }
  }
}
