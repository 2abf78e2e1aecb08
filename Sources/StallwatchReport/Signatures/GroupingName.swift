/// Function names without what differs from build to build.
enum GroupingName {
  /// `name` without the numbers of closures and local functions, and without what says how the compiler specialised,
  /// merged, split or outlined it: `specialized closure #1 in each<A>(_:_:)` is `closure in each<A>(_:_:)`.
  static func of(_ name: String) -> String {
    var rest = name[...]
    while let prefix = prefixes.first(where: rest.hasPrefix) { rest = rest.dropFirst(prefix.count) }
    rest = withoutResumption(rest)
    if let suffix = rest.firstRange(of: " with unmangled suffix ") { rest = rest[..<suffix.lowerBound] }
    return withoutNumbers(withoutPart(rest))
  }

  /// The function whose text holds the closure with this grouping name: `closure in closure in load()` is in `load()`.
  static func enclosing(_ name: String) -> String {
    var rest = name[...]
    while rest.hasPrefix(closure) { rest = rest.dropFirst(closure.count) }
    return String(rest)
  }

  private static let closure = "closure in "
  private static let prefixes = ["specialized ", "merged ", "generic ", "implicit ", "@objc ", "@nonobjc ", "dynamic "]

  /// Swift compiles an asynchronous function in parts: `(2) suspend resume partial function for load()` is `load()`.
  private static func withoutResumption(_ name: Substring) -> Substring {
    guard name.hasPrefix("("), let end = name.firstRange(of: " resume partial function for ") else { return name }
    return name[end.upperBound...]
  }

  /// C compilers number the parts that they split off: `decode.cold.1` is `decode`.
  private static func withoutPart(_ name: Substring) -> Substring {
    for marker in [".cold", ".part.", ".constprop.", ".isra.", ".llvm.", ".resume."] {
      if let start = name.firstRange(of: marker), start.lowerBound > name.startIndex {
        return name[..<start.lowerBound]
      }
    }
    return name
  }

  /// `closure #1 in load()` is `closure in load()`, `default argument 0 of load(_:)` is `default argument of load(_:)`.
  private static func withoutNumbers(_ name: Substring) -> String {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for (place, word) in words.enumerated() {
      let isNumber = word.hasPrefix("#") && word.dropFirst().allSatisfy(\.isNumber) && word.count > 1
      let isArgument = place > 1 && words[place - 2] == "default" && words[place - 1] == "argument"
      if !isNumber && !isArgument { kept.append(word) }
    }
    return kept.joined(separator: " ")
  }
}
