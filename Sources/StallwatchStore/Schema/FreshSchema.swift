/// What migrations make of an empty database, as their text says. If SQLite ran them, it would read the whole schema
/// anew for each column that one of them adds. A watched program does not wait for that, but it pays for the CPU time.
///
/// Knows the statements that migrations have: CREATE, DROP and ALTER TABLE ADD COLUMN. It leaves out all others, which
/// bring rows from one table into another: an empty database has none.
struct FreshSchema {
  /// A table, an index or a view.
  struct Part {
    /// `TABLE`, `INDEX` or `VIEW`.
    var kind: String
    var name: String
    /// The table of an index; its own name otherwise.
    var table: String
    /// The statement that makes it, as UTF-8.
    var sql: ArraySlice<UInt8>
  }

  private(set) var parts: [Part] = []

  /// The schema that `migrations` make, which follow each other from version 1 on.
  init(_ migrations: [Migration]) {
    for migration in migrations {
      let words = SQLWords(migration.sql.utf8)
      var start = 0
      for word in words.ranges.indices where words[word] == ";" {
        if word > start { take(words, start..<word) }
        start = word + 1
      }
      if start < words.ranges.endIndex { take(words, start..<words.ranges.endIndex) }
    }
  }

  /// The statements that make it.
  var sql: String {
    parts.map { String(decoding: $0.sql, as: UTF8.self) }.joined(separator: ";\n")
  }

  /// How many indexes SQLite makes for the keys of a table: one for UNIQUE, and one for a PRIMARY KEY unless the table
  /// is stored by it. Migrations list such keys after the columns. A column has no key but `INTEGER PRIMARY KEY`, for
  /// which SQLite makes none.
  static func keyIndexes(of table: ArraySlice<UInt8>) -> Int {
    let words = SQLWords(table)
    let isStoredByKey = words.ranges.indices.last.map { words[$0] } == "ROWID"
    return words.items.count { item in
      let first = words[item.lowerBound]
      return first == "UNIQUE" || first == "PRIMARY" && !isStoredByKey
    }
  }

  /// Takes one statement.
  private mutating func take(_ words: SQLWords, _ statement: Range<Int>) {
    let first = statement.lowerBound
    switch words[first] {
    case "CREATE":
      let kind = words[first + 1] == "UNIQUE" ? first + 2 : first + 1
      let name = words[kind + 1]
      // CREATE INDEX name ON table
      let table = words[kind] == "INDEX" ? words[kind + 3] : name
      parts.append(Part(kind: words[kind], name: name, table: table, sql: words[statement]))
    case "DROP":
      let (kind, name) = (words[first + 1], words[first + 2])
      parts.removeAll { $0.kind == kind && $0.name == name || kind == "TABLE" && $0.table == name }
    case "ALTER":
      // ALTER TABLE name ADD COLUMN column
      let name = words[first + 2]
      let column = words.withComments(first + 5..<statement.upperBound)
      for place in parts.indices where parts[place].name == name {
        parts[place].sql = Self.table(SQLWords(parts[place].sql), with: column)
      }
    default: break
    }
  }

  /// A table's statement with one more column, where SQLite puts it: before what holds for the whole table.
  private static func table(_ table: SQLWords, with column: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let items = table.items
    let columns = items.prefix { !constraints.contains(table[$0.lowerBound]) }
    guard let end = columns.last?.upperBound else { return table.bytes[...] }
    let place = table.ranges[end].lowerBound
    return table.bytes[..<place] + Array(", ".utf8) + column + table.bytes[place...]
  }

  private static let constraints: Set = ["UNIQUE", "PRIMARY", "FOREIGN", "CHECK", "CONSTRAINT"]
}
