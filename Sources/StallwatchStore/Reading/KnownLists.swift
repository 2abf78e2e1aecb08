/// The JSON arrays of strings parsed lately: thousands of timers are in the same modes, and share one list of them.
final class KnownLists {
  private let connection: Connection
  private var known = RecentlyUsed<String, [String]>(capacity: 64)

  init(_ connection: Connection) { self.connection = connection }

  /// The strings of a JSON array. Throws if `json` is no array.
  func elements(ofArray json: String) throws(SQLiteFailure) -> [String] {
    if let elements = known.value(of: json) { return elements }
    let elements = try connection.elements(ofArray: json)
    known.insert(elements, of: json)
    return elements
  }
}
