/// A row of a table, as an extraction makes it.
package enum ExtractedRow: Sendable {
  case session(SessionRow)
  case activity(ActivityRow)
  case stall(StallRow)
  case signature(SignatureRow)
  case stack(StackRow)
  case stackTimes(StackTimesRow)
  case timer(TimerRow)

  /// The row, whatever it is of.
  package var row: any FleetRow {
    switch self {
    case .session(let row): row
    case .activity(let row): row
    case .stall(let row): row
    case .signature(let row): row
    case .stack(let row): row
    case .stackTimes(let row): row
    case .timer(let row): row
    }
  }
}
