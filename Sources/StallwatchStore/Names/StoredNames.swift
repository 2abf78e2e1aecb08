import StallwatchCore

/// Reads the names of one image's addresses.
enum StoredNames {
  /// What of a function's traits is set.
  struct Traits: OptionSet {
    let rawValue: Int64
    static let system = Traits(rawValue: 1)
    static let thunk = Traits(rawValue: 2)
    static let ownSource = Traits(rawValue: 4)
    static let all: Traits = [.system, .thunk, .ownSource]
  }

  /// The names of the image with this build-id, the richest of each address. Throws if they are not what a writer
  /// writes.
  static func read(_ buildID: String, in connection: Connection) throws(SQLiteFailure) -> ImageNames {
    var found = ImageNames()
    let sources = try connection.prepare("SELECT id, wealth FROM named_images WHERE build_id = ?1")
    sources.bind(buildID, at: 1)
    while try sources.step() {
      var row = sources.row
      let image: Int64 = try row.number()
      let wealth: SymbolWealth = try row.word()
      try read(image, wealth, into: &found, connection)
    }
    return found
  }

  private static func read(
    _ image: Int64, _ wealth: SymbolWealth, into found: inout ImageNames, _ connection: Connection
  ) throws(SQLiteFailure) {
    let statement = try connection.prepare(
      """
      SELECT offset, depth, function, functions.text, modules.text, file, files.text, line, traits FROM names
      LEFT JOIN texts AS functions ON functions.id = function
      LEFT JOIN texts AS modules ON modules.id = module
      LEFT JOIN texts AS files ON files.id = file
      WHERE image = ?1 ORDER BY offset, depth
      """)
    statement.bind(image, at: 1)
    var (offset, calls): (Int64?, [NamedCall]) = (nil, [])
    func finish() {
      guard let offset else { return }
      // One row without anything stands for an address of which the file knows nothing.
      let isUnknown = calls.count == 1 && calls[0].function == nil && calls[0].file == nil
      found.add(ImageNames.Answer(wealth: wealth, calls: isUnknown ? [] : calls), at: UInt64(bitPattern: offset))
    }
    while try statement.step() {
      var row = statement.row
      let next: Int64 = try row.number()
      let depth: Int = try row.number()
      if offset != next {
        finish()
        if let offset, next <= offset { throw .badContents("names are out of order") }
        (offset, calls) = (next, [])
      }
      guard depth == calls.count, depth < SampleLimits.mostCalls else {
        throw .badContents("names of an address are out of order")
      }
      calls.append(try call(&row))
    }
    finish()
  }

  /// Reads the columns from `function` on.
  private static func call(_ row: inout Row) throws(SQLiteFailure) -> NamedCall {
    let isNamed = try row.integerIfAny() != nil
    let name = try row.textIfAny(longest: SampleLimits.longestName)
    let module = try row.textIfAny(longest: SampleLimits.longestName)
    let hasFile = try row.integerIfAny() != nil
    let file = try row.textIfAny(longest: SampleLimits.longestName)
    let line: Int? = try row.numberIfAny()
    let traits = Traits(rawValue: try row.number())
    guard isNamed == (name != nil), hasFile == (file != nil), Traits.all.isSuperset(of: traits), line ?? 1 > 0 else {
      throw .badContents("a part of a name is missing or out of range")
    }
    let function = name.map {
      NamedFunction(name: $0, module: module, isSystem: traits.contains(.system), isThunk: traits.contains(.thunk))
    }
    return NamedCall(function: function, file: file, line: line, isOwnSource: traits.contains(.ownSource))
  }
}

extension StoreReader {
  /// What the store knows of the addresses of images with this build-id; nothing in a store of a version below 9.
  package func names(buildID: String) throws -> ImageNames {
    guard access.version >= 9 else { return ImageNames() }
    return try access.read { connection throws(SQLiteFailure) in try StoredNames.read(buildID, in: connection) }
  }

  /// Reads all names. Throws if something in them is not what a writer writes.
  func checkNames() throws {
    guard access.version >= 9 else { return }
    try access.read { connection throws(SQLiteFailure) in
      let images = try connection.prepare("SELECT DISTINCT build_id FROM named_images")
      while try images.step() {
        var row = images.row
        _ = try StoredNames.read(try row.text(), in: connection)
      }
      let functions = try connection.prepare(
        """
        SELECT stack, functions.text, files.text, line, leaves.text FROM stack_functions
        LEFT JOIN texts AS functions ON functions.id = function
        LEFT JOIN texts AS files ON files.id = file
        LEFT JOIN texts AS leaves ON leaves.id = leaf
        """)
      while try functions.step() {
        var row = functions.row
        _ = try StackFunction.read(&row)
      }
    }
  }
}
