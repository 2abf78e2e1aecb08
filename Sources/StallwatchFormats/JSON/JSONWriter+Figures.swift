import StallwatchCore
import StallwatchReport

extension JSONWriter {
  /// A summary with every distribution's keys: `p50`, `p90`, `p99`, `p999`, `max`, `count`. Null without one.
  mutating func distribution(_ key: String, _ summary: DurationSummary?) throws {
    try self.key(key)
    guard let summary else { return try null() }
    try object(inline: true) {
      try $0.field("p50", summary.p50)
      try $0.field("p90", summary.p90)
      try $0.field("p99", summary.p99)
      try $0.field("p999", summary.p999)
      try $0.field("max", summary.maximum)
      try $0.field("count", summary.count)
    }
  }

  /// A key with a string or null.
  mutating func field(_ key: String, _ string: String?) throws {
    try self.key(key)
    try value(string)
  }

  /// A key with a whole number or null.
  mutating func field(_ key: String, _ number: (some BinaryInteger)?) throws {
    try self.key(key)
    try value(number)
  }

  /// A key with a number or null.
  mutating func field(_ key: String, _ number: Double?) throws {
    try self.key(key)
    try value(number)
  }

  /// A key with true or false.
  mutating func field(_ key: String, _ flag: Bool) throws {
    try self.key(key)
    try value(flag)
  }

  /// A key with null, for a figure that the store does not hold yet.
  mutating func unknown(_ key: String) throws {
    try self.key(key)
    try null()
  }

  /// A key with an array, one element per line.
  mutating func list<Element>(
    _ key: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) throws -> Void
  ) throws {
    try self.key(key)
    try array { writer in
      for element in elements { try body(&writer, element) }
    }
  }
}
