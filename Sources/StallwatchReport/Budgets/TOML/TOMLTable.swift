/// A table while it is read: TOML forbids defining a key twice, and adding to a table or array that is complete.
final class TOMLTable {
  /// What a key stands for.
  enum Entry {
    case value(BudgetValue)
    case table(TOMLTable)
    /// Tables in a row, each begun by `[[name]]`.
    case tables([TOMLTable])
  }

  /// How the table came to be.
  enum Origin {
    /// As a part of a longer header: its own header may follow.
    case implied
    /// By its header.
    case header
    /// By a dotted key: only others like it add to it.
    case dotted
  }

  private(set) var entries: [String: Entry] = [:]
  private var origin: Origin

  /// A table that came to be in that way.
  init(_ origin: Origin) { self.origin = origin }

  /// The table that `[keys]` begins; nil where TOML forbids it.
  func table(header keys: [String]) -> TOMLTable? {
    guard let parent = parent(of: keys), let key = keys.last else { return nil }
    switch parent.entries[key] {
    case nil: return parent.add(TOMLTable(.header), key)
    case .table(let table) where table.origin == .implied:
      table.origin = .header
      return table
    default: return nil
    }
  }

  /// The table that `[[keys]]` begins; nil where TOML forbids it.
  func table(rowHeader keys: [String]) -> TOMLTable? {
    guard let parent = parent(of: keys), let key = keys.last else { return nil }
    let table = TOMLTable(.header)
    switch parent.entries[key] {
    case nil: parent.entries[key] = .tables([table])
    case .tables(let row): parent.entries[key] = .tables(row + [table])
    default: return nil
    }
    return table
  }

  /// Sets what `keys = value` says. False where TOML forbids it.
  func set(_ keys: [String], _ value: BudgetValue) -> Bool {
    guard let last = keys.last else { return false }
    var table = self
    for key in keys.dropLast() {
      switch table.entries[key] {
      case nil: table = table.add(TOMLTable(.dotted), key)
      case .table(let next) where next.origin == .dotted: table = next
      default: return false
      }
    }
    guard table.entries[last] == nil else { return false }
    table.entries[last] = .value(value)
    return true
  }

  /// All that it says.
  var value: BudgetValue {
    .table(
      entries.mapValues { entry in
        switch entry {
        case .value(let value): value
        case .table(let table): table.value
        case .tables(let row): .list(row.map(\.value))
        }
      })
  }

  /// The table that the last of `keys` belongs to.
  private func parent(of keys: [String]) -> TOMLTable? {
    var table = self
    for key in keys.dropLast() {
      switch table.entries[key] {
      case nil: table = table.add(TOMLTable(.implied), key)
      case .table(let next): table = next
      case .tables(let row):
        guard let last = row.last else { return nil }
        table = last
      case .value: return nil
      }
    }
    return table
  }

  private func add(_ table: TOMLTable, _ key: String) -> TOMLTable {
    entries[key] = .table(table)
    return table
  }
}
