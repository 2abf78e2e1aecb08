import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// The keys of all `measures` that have a place in JSON. `after` writes what belongs behind a measure, by its key.
  mutating func fields<Subject, Stored>(
    _ measures: [Measure<Subject, Stored>], of subject: Subject,
    after: (String, inout JSONWriter) throws -> Void = { _, _ in }
  ) throws {
    var rest = measures[...]
    while let first = rest.first {
      guard let group = first.json?.group else {
        if first.json != nil { try field(first, of: subject) }
        try after(first.key, &self)
        rest.removeFirst()
        continue
      }
      let members = rest.prefix { $0.json?.group == group }
      try key(group)
      try object(inline: !members.contains(where: \.isDistribution)) { writer in
        for member in members { try writer.field(member, of: subject) }
      }
      rest.removeFirst(members.count)
    }
  }

  private mutating func field<Subject, Stored>(_ measure: Measure<Subject, Stored>, of subject: Subject) throws {
    guard let place = measure.json else { return }
    try key(place.key)
    guard measure.isDistribution else { return try value(measure.value(of: subject)) }
    guard let summary = measure.summary(of: subject) else { return try null() }
    try object(inline: true) { writer in
      if place.isBrief {
        try writer.field("count", summary.count)
        try writer.field("total_ns", summary.total)
      }
      for quantile in place.isBrief ? Quantile.brief : Quantile.allCases {
        try writer.key(quantile.key)
        try writer.value(summary[quantile])
      }
      if !place.isBrief { try writer.field("count", summary.count) }
    }
  }

  private mutating func value(_ value: MeasureValue?) throws {
    switch value {
    case .whole(let number): try self.value(number)
    case .signed(let number): try self.value(number)
    case .real(let number): try self.value(number)
    case nil: try null()
    }
  }

  /// A key with a string or null.
  package mutating func field(_ key: String, _ string: String?) throws {
    try self.key(key)
    try value(string)
  }

  /// A key with a whole number or null.
  package mutating func field(_ key: String, _ number: (some BinaryInteger)?) throws {
    try self.key(key)
    try value(number)
  }

  /// A key with a number or null.
  package mutating func field(_ key: String, _ number: Double?) throws {
    try self.key(key)
    try value(number)
  }

  /// A key with true or false.
  package mutating func field(_ key: String, _ flag: Bool?) throws {
    try self.key(key)
    try value(flag)
  }

  /// A key with null, for a figure that the store does not hold yet.
  package mutating func unknown(_ key: String) throws {
    try self.key(key)
    try null()
  }

  /// A key with an array, one element per line.
  package mutating func list<Element>(
    _ key: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) throws -> Void
  ) throws {
    try self.key(key)
    try array { writer in
      for element in elements { try body(&writer, element) }
    }
  }
}
