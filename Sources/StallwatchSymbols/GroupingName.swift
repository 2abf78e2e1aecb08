/// Function names without the parts that differ from build to build.
package enum GroupingName {
  /// `name` without the numbers of closures and local functions, and without marks that the compiler specialised,
  /// merged, split or outlined it: `specialized closure #1 in each<A>(_:_:)` becomes `closure in each<A>(_:_:)`.
  static func of(_ name: String) -> String {
    var rest = name[...]
    while let prefix = prefixes.first(where: rest.hasPrefix) { rest = rest.dropFirst(prefix.count) }
    rest = withoutResumption(rest)
    if let suffix = rest.firstRange(of: " with unmangled suffix ") { rest = rest[..<suffix.lowerBound] }
    return withoutNumbers(withoutPart(rest))
  }

  /// The function that contains the closure with this grouping name: `load()` for `closure in closure in load()`.
  package static func enclosing(_ name: String) -> String {
    var rest = name[...]
    while rest.hasPrefix(closure) { rest = rest.dropFirst(closure.count) }
    return String(rest)
  }

  private static let closure = "closure in "
  private static let prefixes = ["specialized ", "merged ", "generic ", "implicit ", "@objc ", "@nonobjc ", "dynamic "]

  /// Swift splits an asynchronous function: `(2) suspend resume partial function for load()` becomes `load()`.
  private static func withoutResumption(_ name: Substring) -> Substring {
    guard name.hasPrefix("("), let end = name.firstRange(of: " resume partial function for ") else { return name }
    return name[end.upperBound...]
  }

  /// C compilers number the parts that they split off: `decode.cold.1` becomes `decode`.
  private static func withoutPart(_ name: Substring) -> Substring {
    for marker in [".cold", ".part.", ".constprop.", ".isra.", ".llvm.", ".resume."] {
      if let start = name.firstRange(of: marker), start.lowerBound > name.startIndex {
        return name[..<start.lowerBound]
      }
    }
    return name
  }

  /// `closure #1 in load()` becomes `closure in load()`; `default argument 0 of load(_:)` loses its 0.
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
