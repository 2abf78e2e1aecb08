import StallwatchCore

/// The limits that a recording must keep.
package struct Budget: Sendable, Equatable {
  /// The limits, sorted by key.
  package private(set) var limits: [BudgetLimit] = []
  /// Known signatures whose stalls count toward no limit.
  package private(set) var allowed: [AllowedSignature] = []
  /// The store that the recording must not be worse than; nil where the budget names none.
  package private(set) var base: BaseStore?

  /// Reads the budget from a file's top table; the figures of `catalog` may have limits. Throws ``BudgetError``.
  package init(_ file: BudgetValue, catalog: Catalog = .standard) throws(BudgetError) {
    guard case .table(let tables) = file else { throw .empty }
    for (name, value) in tables.sorted(by: { $0.key < $1.key }) {
      switch name {
      case "stalls": try add(value, "stalls", .stalls, catalog.stalls.limits())
      case "drift": try add(value, "drift", .drift, catalog.drift.limits())
      case "health": try add(value, "health", .health, catalog.health.limits())
      case "loop", "lane":
        for (lane, limits) in try table(value, name).sorted(by: { $0.key < $1.key }) {
          try add(lane: limits, "\(name).\(quoted(lane))", lane, catalog)
        }
      case "timer":
        for (name, timer) in try table(value, "timer").sorted(by: { $0.key < $1.key }) {
          try add(timer, "timer.\(quoted(name))", .timer(name), catalog.timer.limits())
        }
      case "allow": try add(allowed: value)
      case "base": try add(base: value)
      default:
        let known = ["stalls", "loop", "lane", "timer", "drift", "health"] + BudgetKeys.others
        throw .unknownKey(name, nearest: BudgetKeys.nearest(to: name, among: known))
      }
    }
    if limits.isEmpty, base == nil { throw .empty }
    limits.sort { $0.key < $1.key }
  }

  /// Adds the limits of a lane, of which a run loop is one kind.
  private mutating func add(
    lane value: BudgetValue, _ path: String, _ name: String, _ catalog: Catalog
  ) throws(BudgetError) {
    var own = try table(value, path)
    let modes = own.removeValue(forKey: "mode")
    if let modes {
      for (mode, limits) in try table(modes, path + ".mode").sorted(by: { $0.key < $1.key }) {
        try add(
          limits, "\(path).mode.\(quoted(mode))", .mode(lane: name, mode: mode), catalog.mode.limits())
      }
    }
    // A table that only names modes sets no limit on the lane itself.
    if own.isEmpty, case .table(let modes)? = modes, !modes.isEmpty { return }
    try add(.table(own), path, .lane(name), catalog.loop.limits())
  }

  /// Adds the limits of a table. A nested table becomes part of its limits' keys.
  private mutating func add(
    _ value: BudgetValue, _ path: String, _ subject: BudgetLimit.Subject, _ known: [BudgetKeys.Key],
    inside prefix: String = ""
  ) throws(BudgetError) {
    let values = try table(value, path)
    // A table without a limit would pass unnoticed.
    if values.isEmpty { throw .badValue(path, expected: "a table with at least one limit") }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      let (measure, key) = (prefix + name, "\(path).\(quoted(name))")
      if let unit = known.first(where: { $0.key == measure })?.unit {
        limits.append(
          BudgetLimit(key: key, subject: subject, measure: measure, unit: unit, bound: try bound(value, key, unit)))
      } else if known.contains(where: { $0.key.hasPrefix(measure + ".") }) {
        try add(value, key, subject, known, inside: measure + ".")
      } else {
        // Suggest names as they stand in this table: `span` beside `stalls`, and inside `span` its percentiles.
        var names = Set(
          known.filter { $0.key.hasPrefix(prefix) }.map { String($0.key.dropFirst(prefix.count).prefix { $0 != "." }) })
        if case .lane = subject, prefix.isEmpty { names.insert("mode") }
        throw .unknownKey(key, nearest: BudgetKeys.nearest(to: name, among: names.sorted()))
      }
    }
  }

  private func bound(_ value: BudgetValue, _ key: String, _ unit: MeasureUnit) throws(BudgetError) -> Double {
    switch (unit, value) {
    case (.duration, .text(let text)):
      if let duration = DurationNotation.parse(text) { return Double(duration) }
      throw .badValue(key, expected: "a duration such as \"8ms\"")
    case (.duration, _): throw .badValue(key, expected: "a duration such as \"8ms\"")
    case (.count, .number(let number)) where number >= 0 && number.isFinite && number == number.rounded(): return number
    case (.count, _): throw .badValue(key, expected: "a whole number, 0 or more")
    case (.share, .number(let number)) where (0...1).contains(number): return number
    case (.share, _): throw .badValue(key, expected: "a share from 0 to 1")
    case (.rate, .number(let number)) where number >= 0 && number.isFinite: return number
    case (.rate, _): throw .badValue(key, expected: "a number, 0 or more")
    }
  }

  private mutating func add(allowed value: BudgetValue) throws(BudgetError) {
    guard case .list(let entries) = value else { throw .badValue("allow", expected: "tables: [[allow]]") }
    for entry in entries {
      var fields = try table(entry, "allow")
      guard case .text(let signature)? = fields.removeValue(forKey: "signature"), !signature.isEmpty else {
        throw .badValue("allow.signature", expected: "a cause's signature or title, as 'report' shows it")
      }
      guard case .text(let owner)? = fields.removeValue(forKey: "owner"), !owner.isEmpty else {
        throw .badValue("allow.owner", expected: "the person or team that will fix it")
      }
      guard case .date(let until)? = fields.removeValue(forKey: "until") else {
        throw .badValue("allow.until", expected: "a day, without quotes, such as 2027-01-31")
      }
      if let other = fields.keys.min() {
        throw .unknownKey(
          "allow.\(other)", nearest: BudgetKeys.nearest(to: other, among: ["signature", "owner", "until"]))
      }
      allowed.append(AllowedSignature(signature: signature, owner: owner, until: until))
    }
  }

  private mutating func add(base value: BudgetValue) throws(BudgetError) {
    var fields = try table(value, "base")
    guard case .text(let store)? = fields.removeValue(forKey: "store"), !store.isEmpty else {
      throw .badValue("base.store", expected: "the path of a store, relative to the budget file's folder")
    }
    var base = BaseStore(store: store, confidence: nil)
    if let confidence = fields.removeValue(forKey: "confidence") {
      let range = ComparisonConfiguration.confidences
      guard case .number(let share) = confidence, range.contains(share) else {
        throw .badValue("base.confidence", expected: "a share above 0 and at most \(range.upperBound), such as 0.999")
      }
      base.confidence = share
    }
    if let other = fields.keys.min() {
      throw .unknownKey("base.\(other)", nearest: BudgetKeys.nearest(to: other, among: ["store", "confidence"]))
    }
    self.base = base
  }

  private func table(_ value: BudgetValue, _ key: String) throws(BudgetError) -> [String: BudgetValue] {
    guard case .table(let table) = value else { throw .badValue(key, expected: "a table: [\(key)]") }
    return table
  }

  /// A name as a TOML key: bare where TOML allows that, otherwise in quotes.
  private func quoted(_ name: String) -> String {
    let isBare =
      !name.isEmpty
      && name.utf8.allSatisfy {
        "_-".utf8.contains($0) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
      }
    return isBare ? name : "\"\(name)\""
  }
}
