import StallwatchCore

/// The declaration of one figure of a subject such as a loop: what it is called, how it is read, and which views show
/// it. A ``Catalog`` holds all of them, and every view is made of that.
///
/// `Stored` is what the store has of the subject where several recordings are pooled; `Never` where nothing is.
package struct Measure<Subject, Stored>: Sendable {
  /// How a measure is read. A figure that is unknown is nil.
  enum Reading: Sendable {
    case single(@Sendable (Subject) -> MeasureValue?)
    case distribution(@Sendable (Subject) -> Summary<MeasureValue>?)
  }

  /// Its name, unique among the measures of its subject; views derive their keys from it.
  package let key: String
  /// The unit of all its values.
  package let unit: MeasureUnit
  /// What it is, for documents and metrics: part of a sentence, with names in backticks.
  package let words: String
  let reading: Reading
  /// Whether a larger value is worse; where it is not, `diff` takes growth for better.
  package private(set) var isWorseWhenMore = true
  /// Its place in JSON reports; nil where it has none.
  package private(set) var json: JSONPlace?
  /// Its key in a budget, for a distribution the table with the quantiles; nil where a budget cannot limit it. An empty
  /// key puts the quantiles beside the subject's other keys.
  package private(set) var limit: String?
  /// Its column in text tables; nil where they leave it out. A distribution has a column for each quantile.
  package private(set) var column: MeasureColumn?
  /// Its OpenMetrics name, without prefix and unit; nil where that page leaves it out.
  package private(set) var metric: String?
  /// What `diff` asks about it; nil where it asks nothing.
  package private(set) var question: Comparison.Question?
  /// How it is read from the store, for views that need whole distributions or both parts of a share.
  package private(set) var tally: (@Sendable (Stored) -> Tally?)?

  private init(_ key: String, _ unit: MeasureUnit, _ words: String, _ reading: Reading) {
    (self.key, self.unit, self.words, self.reading) = (key, unit, words, reading)
    json = JSONPlace(key: key + unit.suffix)
  }
}

extension Measure {
  /// A whole number.
  package static func count(
    _ key: String, _ words: String, _ value: @escaping @Sendable (Subject) -> UInt64?
  ) -> Measure {
    Measure(key, .count, words, .single { value($0).map { .whole($0) } })
  }

  /// A whole number.
  package static func count(
    _ key: String, _ words: String, _ value: @escaping @Sendable (Subject) -> Int?
  ) -> Measure {
    Measure(key, .count, words, .single { value($0).map { .signed(Int64($0)) } })
  }

  /// Nanoseconds.
  package static func duration(
    _ key: String, _ words: String, _ value: @escaping @Sendable (Subject) -> Nanoseconds?
  ) -> Measure {
    Measure(key, .duration, words, .single { value($0).map { .whole($0) } })
  }

  /// A share, 0…1.
  package static func share(
    _ key: String, _ words: String, _ value: @escaping @Sendable (Subject) -> Double?
  ) -> Measure {
    Measure(key, .share, words, .single { value($0).map { .real($0) } })
  }

  /// Something for each of something else.
  package static func rate(
    _ key: String, _ words: String, _ value: @escaping @Sendable (Subject) -> Double?
  ) -> Measure {
    Measure(key, .rate, words, .single { value($0).map { .real($0) } })
  }

  /// A distribution of durations.
  package static func distribution(
    _ key: String, _ words: String, _ summary: @escaping @Sendable (Subject) -> DurationSummary?
  ) -> Measure {
    Measure(key, .duration, words, .distribution { summary($0)?.map { .whole($0) } })
  }

  /// A distribution of durations that may be negative.
  package static func signedDistribution(
    _ key: String, _ words: String, _ summary: @escaping @Sendable (Subject) -> SignedSummary?
  ) -> Measure {
    Measure(key, .duration, words, .distribution { summary($0)?.map { .signed($0) } })
  }

  /// A larger value is no worse.
  package func neutral() -> Measure { with { $0.isWorseWhenMore = false } }

  /// In JSON under `key`, or under the usual one, inside `group`.
  package func json(_ key: String? = nil, in group: String? = nil, isBrief: Bool = false) -> Measure {
    with { $0.json = JSONPlace(group: group, key: key ?? self.key + unit.suffix, isBrief: isBrief) }
  }

  /// Not in JSON.
  package func withoutJSON() -> Measure { with { $0.json = nil } }

  /// A budget may limit it, under `key` or its own.
  package func limited(_ key: String? = nil) -> Measure { with { $0.limit = key ?? self.key } }

  /// A column of text tables.
  package func shown(
    _ title: String, place: Int = .max, quantiles: [Quantile] = Quantile.brief, leaving: Int?...
  ) -> Measure {
    with { $0.column = MeasureColumn(title: title, place: place, quantiles: quantiles, leaves: leaving) }
  }

  /// On the page of metrics.
  package func exported(_ name: String) -> Measure { with { $0.metric = name } }

  /// `diff` compares it. `tally` must be declared too.
  package func compared(_ key: String? = nil, _ title: String? = nil) -> Measure {
    with { $0.question = Comparison.Question(key: key ?? self.key, title: title ?? self.key, unit: unit) }
  }

  /// Pooled over recordings.
  package func pooled(_ tally: @escaping @Sendable (Stored) -> Tally?) -> Measure { with { $0.tally = tally } }

  private func with(_ change: (inout Measure) -> Void) -> Measure {
    var measure = self
    change(&measure)
    return measure
  }
}
