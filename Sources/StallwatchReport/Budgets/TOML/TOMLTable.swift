/// A table under construction. TOML forbids defining a key twice and adding to a complete table or array.
final class TOMLTable {
  /// What a key holds.
  enum Entry {
    case value(BudgetValue)
    case table(TOMLTable)
    /// An array of tables; `[[name]]` begins each.
    case tables([TOMLTable])
  }

  /// How the table came into being.
  enum Origin {
    /// Through a longer header. Its own header may still follow.
    case implied
    /// Through its own header.
    case header
    /// Through a dotted key. Only other dotted keys may add to it.
    case dotted
  }

  private(set) var entries: [String: Entry] = [:]
  private var origin: Origin

  /// An empty table of this origin.
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

  /// Sets `keys = value`. Returns false where TOML forbids it.
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

  /// The table with all its entries as a value.
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

  /// The table that the last of `keys` belongs to, made where it is missing; nil where TOML forbids it.
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
