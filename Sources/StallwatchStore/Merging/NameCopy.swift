import StallwatchCore

/// Copies the names of a store's addresses into another store. Texts and images that both have, are there once.
struct NameCopy {
  private let source: Connection
  private let target: NameStatements
  private let functions: Statement

  /// Prepares copying from `source`, a store of version 9 or later, into `target`.
  init(from source: Connection, into target: Connection) throws(SQLiteFailure) {
    self.source = source
    self.target = try NameStatements(target)
    functions = try source.prepare(
      """
      SELECT stack, functions.text, files.text, line, leaves.text FROM stack_functions
      JOIN stacks ON stacks.id = stack
      JOIN texts AS functions ON functions.id = function
      LEFT JOIN texts AS files ON files.id = file
      LEFT JOIN texts AS leaves ON leaves.id = leaf
      WHERE stacks.session = ?1
      """)
  }

  /// Copies the names of the images of these sessions, and which functions their stacks stand for. Call it within a
  /// transaction, after the sessions themselves.
  ///
  /// - Parameter offset: what the rows of stacks got added to their numbers.
  func copy(sessions: [Int64], stacksPlus offset: Int64) throws(SQLiteFailure) {
    var copied: Set<String> = []
    for session in sessions {
      for image in try ImageRecord.all(session: session, in: source) {
        guard let buildID = image.buildID, copied.insert(buildID).inserted else { continue }
        for (place, answer) in try StoredNames.read(buildID, in: source).sorted {
          _ = try target.put(answer, at: place, of: buildID)
        }
      }
      functions.bind(session, at: 1)
      while try functions.step() {
        var row = functions.row
        let (stack, function) = try StackFunction.read(&row)
        try target.put(function, of: stack + offset)
      }
    }
  }
}

extension StackFunction {
  /// Reads the row of a stack and what it stands for.
  static func read(_ row: inout Row) throws(SQLiteFailure) -> (stack: Int64, function: StackFunction) {
    let stack: Int64 = try row.number()
    guard (1...RowNumber.highest).contains(stack), let name = try row.textIfAny(longest: SampleLimits.longestName)
    else {
      throw .badContents("a stack's function is missing or out of range")
    }
    let file = try row.textIfAny(longest: SampleLimits.longestName)
    let line: Int? = try row.numberIfAny()
    let leaf = try row.textIfAny(longest: SampleLimits.longestName)
    return (stack, StackFunction(function: name, file: file, line: line, leaf: leaf))
  }
}
