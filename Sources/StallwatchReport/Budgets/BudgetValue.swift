/// A value of a budget file, whatever language it is written in.
public indirect enum BudgetValue: Sendable, Equatable {
  /// Keys with values.
  case table([String: BudgetValue])
  /// Values in a row.
  case list([BudgetValue])
  /// A number.
  case number(Double)
  /// A text.
  case text(String)
  /// A day, as `2027-01-31`.
  case date(String)
  /// What no key takes: true and false, a time of day.
  case other
}
