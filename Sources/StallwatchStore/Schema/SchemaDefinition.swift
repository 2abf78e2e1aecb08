/// A database's schema: its tables, indexes, views and triggers with their SQL.
///
/// A store may come from anywhere, and a schema can hide much: a column computed on reading, a table without types, a
/// trigger. So Stallwatch opens a store only if its schema is what the migrations make.
struct SchemaDefinition {
  private struct Name: Hashable {
    var kind: String
    var name: String
  }

  private struct Part {
    var table: String
    /// Nil for an index that a key makes.
    var sql: String?

    /// Whether both have the same words. Mostly they are the same to the letter.
    func isSame(as other: Part) -> Bool {
      table == other.table && (sql == other.sql || sql.map(normalised) == other.sql.map(normalised))
    }
  }

  private var parts: [Name: Part] = [:]
  /// The first part that occurs twice, or that shares its pages with another.
  private var doubled: Name?

  /// Reads the schema of the database in `connection`.
  init(of connection: Connection) throws(SQLiteFailure) {
    let statement = try connection.prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema")
    var pages: Set<Int64> = []
    while try statement.step() {
      var row = statement.row
      let name = Name(kind: try row.text(), name: try row.text())
      let table = try row.text()
      let page: Int64 = try row.number()
      let part = Part(table: table, sql: try row.textIfAny())
      let isNew = parts.updateValue(part, forKey: name) == nil
      if !isNew || page != 0 && !pages.insert(page).inserted { doubled = doubled ?? name }
    }
  }

  /// What SQLite lists once the statements of `schema` have run. It need not run them: each process that adds a session
  /// to a store checks its schema, and SQLite takes several times as long.
  init(of schema: FreshSchema) {
    for part in schema.parts {
      let sql = String(decoding: part.sql, as: UTF8.self)
      parts[Name(kind: part.kind.lowercased(), name: part.name)] = Part(table: part.table, sql: sql)
      guard part.kind == "TABLE" else { continue }
      for number in 0..<FreshSchema.keyIndexes(of: part.sql) {
        let name = Name(kind: "index", name: "sqlite_autoindex_\(part.name)_\(number + 1)")
        parts[name] = Part(table: part.table, sql: nil)
      }
    }
  }

  /// The first difference of this schema from `expected`, in words; nil without one.
  func difference(from expected: SchemaDefinition) -> String? {
    let order = { (one: Name, other: Name) in (one.kind, one.name) < (other.kind, other.name) }
    if let added = parts.keys.filter({ expected.parts[$0] == nil }).min(by: order) {
      return "\(Self.words(added)) was added"
    }
    if let missing = expected.parts.keys.filter({ parts[$0] == nil }).min(by: order) {
      return "\(Self.words(missing)) is missing"
    }
    let changed = parts.filter { name, part in !(expected.parts[name].map(part.isSame) ?? false) }
    if let changed = changed.keys.min(by: order) {
      return "\(Self.words(changed)) was changed"
    }
    return doubled.map { "\(Self.words($0)) occurs twice" }
  }

  private static func words(_ name: Name) -> String {
    let kinds = ["table", "index", "view", "trigger"]
    return "the \(kinds.first { $0 == name.kind } ?? "part") \(SQLiteFailure.harmless(name.name))"
  }

  /// The words of a statement, one space between them, without comments. When a column is added, versions of SQLite
  /// keep different comments and spaces, but the same words.
  private static func normalised(_ sql: String) -> String {
    let words = SQLWords(sql.utf8)
    return words.ranges.indices.map { words[$0] }.joined(separator: " ")
  }
}
