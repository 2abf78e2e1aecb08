/// How much a file says about its addresses.
package enum SymbolWealth: String, Sendable, CaseIterable, Comparable {
  /// At most the names it exports.
  case exports
  /// The names of all functions.
  case names
  /// Names, source lines and inlined calls.
  case lines

  package static func < (left: SymbolWealth, right: SymbolWealth) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .exports: 0
    case .names: 1
    case .lines: 2
    }
  }
}

/// A function, as it is shown.
package struct NamedFunction: Sendable, Hashable {
  /// Its name in source form.
  package var name: String
  /// Its Swift module; nil for functions of other languages.
  package var module: String?
  /// Whether it belongs to the system, wherever it lies.
  package var isSystem: Bool
  /// Whether it is glue that the compiler made around another function.
  package var isThunk: Bool

  /// Sets every property as given; checks nothing.
  package init(name: String, module: String? = nil, isSystem: Bool = false, isThunk: Bool = false) {
    self.name = name
    self.module = module
    self.isSystem = isSystem
    self.isThunk = isThunk
  }
}

/// One of the functions at an address: the one that was compiled, or one that was inlined there.
package struct NamedCall: Sendable, Hashable {
  /// The function; nil where no name is known.
  package var function: NamedFunction?
  /// The path of its source file, as the debug information gives it; nil where it is unknown.
  package var file: String?
  /// The line, from 1; nil where it is unknown, or where the compiler made the code without one.
  package var line: Int?
  /// Whether its source says that it is no other package's.
  package var isOwnSource: Bool

  /// Sets every property as given; checks nothing.
  package init(function: NamedFunction?, file: String? = nil, line: Int? = nil, isOwnSource: Bool = true) {
    self.function = function
    self.file = file
    self.line = line
    self.isOwnSource = isOwnSource
  }
}

/// What is known of an image's addresses without its file, counted from the image's own address 0.
package struct ImageNames: Sendable, Equatable {
  /// What one file said about an address.
  package struct Answer: Sendable, Equatable {
    /// How much that file says.
    package var wealth: SymbolWealth
    /// The functions at the address, the innermost first and the compiled one last; empty where the file knows none.
    package var calls: [NamedCall]

    /// Sets every property as given; checks nothing.
    package init(wealth: SymbolWealth, calls: [NamedCall]) {
      self.wealth = wealth
      self.calls = calls
    }
  }

  private var answers: [UInt64: Answer] = [:]

  /// Names of no address.
  package init() {}

  /// How many addresses it knows.
  package var count: Int { answers.count }

  /// All answers, by address.
  package var sorted: [(offset: UInt64, answer: Answer)] {
    answers.map { (offset: $0.key, answer: $0.value) }.sorted { $0.offset < $1.offset }
  }

  /// The richest answer about an address; nil where there is none.
  package subscript(offset: UInt64) -> Answer? { answers[offset] }

  /// Adds an answer, unless one at least as rich is known. Returns whether it is new.
  @discardableResult
  package mutating func add(_ answer: Answer, at offset: UInt64) -> Bool {
    if let known = answers[offset], known.wealth >= answer.wealth { return false }
    answers[offset] = answer
    return true
  }
}
