import ArgumentParser
import StallwatchFleet
import StallwatchReport
import StallwatchStore

/// A stall on the command line: its row in the store, or what every copy of the store knows it by: its session's hash and
/// its number there.
enum StallArgument: Equatable, ExpressibleByArgument, CustomStringConvertible {
  case row(Int64)
  case fleet(session: UInt64, number: UInt64)

  init?(argument: String) {
    if let row = Int64(argument) {
      self = .row(row)
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 16, let session = UInt64(parts[0], radix: 16),
      let number = UInt64(parts[1])
    else { return nil }
    self = .fleet(session: session, number: number)
  }

  var description: String {
    switch self {
    case .row(let row): "\(row)"
    case .fleet(let session, let number):
      String(repeating: "0", count: 16 - String(session, radix: 16).count) + String(session, radix: 16) + ":\(number)"
    }
  }

  /// Its row in a store; nil where the store does not have it.
  func row(in store: StoreReader) throws -> Int64? {
    switch self {
    case .row(let row): return row
    case .fleet(let session, let number):
      let found = try store.sessions().first { RowOrigin.number(of: $0) == session }
      return try found.flatMap { try store.row(ofStall: number, session: $0.id) }
    }
  }
}
