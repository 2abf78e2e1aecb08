import StallwatchCore

/// Writes names into a store, each text once. Call it within transactions.
final class NameStatements {
  private let connection: Connection
  private let findImage: Statement
  private let insertImage: Statement
  private let findRicher: Statement
  private let deleteAddress: Statement
  private let insertName: Statement
  private let findText: Statement
  private let insertText: Statement
  private let putFunction: Statement

  init(_ connection: Connection) throws(SQLiteFailure) {
    self.connection = connection
    findImage = try connection.prepare("SELECT id FROM named_images WHERE build_id = ?1 AND wealth = ?2")
    insertImage = try connection.prepare("INSERT INTO named_images (build_id, wealth) VALUES (?1, ?2)")
    let ranks = SymbolWealth.allCases.enumerated().map { "WHEN '\($1.rawValue)' THEN \($0)" }.joined(separator: " ")
    func rank(_ wealth: String) -> String { "CASE \(wealth) \(ranks) END" }
    findRicher = try connection.prepare(
      """
      SELECT 1 FROM named_images WHERE build_id = ?1 AND \(rank("wealth")) >= \(rank("?2"))
        AND EXISTS (SELECT 1 FROM names WHERE image = named_images.id AND offset = ?3)
      """)
    deleteAddress = try connection.prepare(
      "DELETE FROM names WHERE offset = ?2 AND image IN (SELECT id FROM named_images WHERE build_id = ?1)")
    insertName = try connection.prepare(
      """
      INSERT INTO names (image, offset, depth, function, module, file, line, traits)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    findText = try connection.prepare("SELECT id FROM texts WHERE text = ?1")
    insertText = try connection.prepare("INSERT INTO texts (text) VALUES (?1)")
    putFunction = try connection.prepare(
      """
      INSERT INTO stack_functions (stack, function, file, line, leaf) SELECT ?1, ?2, ?3, ?4, ?5
      WHERE EXISTS (SELECT 1 FROM stacks WHERE id = ?1)
      ON CONFLICT (stack) DO UPDATE
        SET function = excluded.function, file = excluded.file, line = excluded.line, leaf = excluded.leaf
        WHERE (function, file, line, leaf) IS NOT (excluded.function, excluded.file, excluded.line, excluded.leaf)
      """)
  }

  /// The row of `text`.
  func row(of text: String) throws(SQLiteFailure) -> Int64 {
    findText.bind(text, at: 1)
    if let found = try findText.firstInteger() { return found }
    insertText.bind(text, at: 1)
    try insertText.run()
    return connection.lastInsertedRow
  }

  /// The row of an image, as a file that says so much names it.
  func row(ofImage buildID: String, _ wealth: SymbolWealth) throws(SQLiteFailure) -> Int64 {
    findImage.bind(buildID, at: 1)
    findImage.bind(wealth.rawValue, at: 2)
    if let found = try findImage.firstInteger() { return found }
    insertImage.bind(buildID, at: 1)
    insertImage.bind(wealth.rawValue, at: 2)
    try insertImage.run()
    return connection.lastInsertedRow
  }

  /// Writes what a file said about an address, unless the store has an answer that is as rich. Returns whether it wrote
  /// it; not where it is beyond what a reader takes.
  func put(_ answer: ImageNames.Answer, at offset: UInt64, of buildID: String) throws(SQLiteFailure) -> Bool {
    guard Self.isFit(answer) else { return false }
    let place = Int64(bitPattern: offset)
    findRicher.bind(buildID, at: 1)
    findRicher.bind(answer.wealth.rawValue, at: 2)
    findRicher.bind(place, at: 3)
    if try findRicher.firstInteger() != nil { return false }
    deleteAddress.bind(buildID, at: 1)
    deleteAddress.bind(place, at: 2)
    try deleteAddress.run()
    let image = try row(ofImage: buildID, answer.wealth)
    let calls = answer.calls.isEmpty ? [NamedCall(function: nil, isOwnSource: false)] : answer.calls
    for (depth, call) in calls.enumerated() {
      insertName.bind(image, at: 1)
      insertName.bind(place, at: 2)
      insertName.bind(Int64(depth), at: 3)
      insertName.bind(try rowIfAny(of: call.function?.name), at: 4)
      insertName.bind(try rowIfAny(of: call.function?.module), at: 5)
      insertName.bind(try rowIfAny(of: call.file), at: 6)
      insertName.bind(call.line.map(Int64.init), at: 7)
      insertName.bind(Self.traits(of: call).rawValue, at: 8)
      try insertName.run()
    }
    return true
  }

  /// Writes the function that a stack stands for; nothing if the stack is gone.
  func put(_ place: StackFunction, of stack: Int64) throws(SQLiteFailure) {
    let texts = [place.function, place.file, place.leaf].compactMap(\.self)
    guard texts.allSatisfy({ $0.utf8.count <= SampleLimits.longestName }) else { return }
    putFunction.bind(stack, at: 1)
    putFunction.bind(try row(of: place.function), at: 2)
    putFunction.bind(try rowIfAny(of: place.file), at: 3)
    putFunction.bind(place.line.map(Int64.init), at: 4)
    putFunction.bind(try rowIfAny(of: place.leaf), at: 5)
    try putFunction.run()
  }

  private func rowIfAny(of text: String?) throws(SQLiteFailure) -> Int64? {
    guard let text else { return nil }
    return try row(of: text)
  }

  private static func traits(of call: NamedCall) -> StoredNames.Traits {
    var traits: StoredNames.Traits = call.isOwnSource ? .ownSource : []
    if call.function?.isSystem == true { traits.insert(.system) }
    if call.function?.isThunk == true { traits.insert(.thunk) }
    return traits
  }

  private static func isFit(_ answer: ImageNames.Answer) -> Bool {
    answer.calls.count <= SampleLimits.mostCalls
      && answer.calls.allSatisfy { call in
        [call.function?.name, call.function?.module, call.file].allSatisfy {
          ($0?.utf8.count ?? 0) <= SampleLimits.longestName
        }
      }
  }
}

/// The function that a stack stands for, in the words of reports.
package struct StackFunction: Sendable, Equatable {
  /// The program's own innermost function; without one, the innermost of others.
  package var function: String
  /// The path of its source file; nil where it is unknown.
  package var file: String?
  /// Where it stood, or called others; nil where that is unknown.
  package var line: Int?
  /// The function in which the thread stood; nil where it is unknown.
  package var leaf: String?

  /// Sets every property as given; checks nothing.
  package init(function: String, file: String? = nil, line: Int? = nil, leaf: String? = nil) {
    self.function = function
    self.file = file
    self.line = line
    self.leaf = leaf
  }
}
