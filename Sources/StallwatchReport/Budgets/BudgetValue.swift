/// A value of a budget file, independent of the file's syntax.
package indirect enum BudgetValue: Sendable, Equatable {
  /// Values by key.
  case table([String: BudgetValue])
  /// Values in order.
  case list([BudgetValue])
  /// A whole number or a fraction.
  case number(Double)
  /// A string.
  case text(String)
  /// A day, as `2027-01-31`.
  case date(String)
  /// A value that no key accepts: true, false, a time of day.
  case other
}
