/// Demangles function names with the Swift runtime on which this program runs.
enum Demangling {
  /// A function's name in source form, for example `ImageStore.decode(_:)`, and whether it is glue that the compiler
  /// made around another function.
  static func readable(_ rawName: String) -> (name: String, isThunk: Bool) {
    let answer = DemanglerProcess.shared.answer(rawName, .readable)
    var name = answer.text ?? rawName
    // A closure outside of any function: the runtime leaves out the module, and nothing else encloses it.
    if name.hasSuffix(" in ") { name += "top-level code" }
    return (name, answer.isThunk)
  }

  /// The module that adds the function to another module's type; nil where the type's own module declares it.
  static func extendingModule(_ rawName: String) -> String? {
    guard let full = DemanglerProcess.shared.answer(rawName, .full).text,
      let start = full.firstRange(of: "(extension in ")
    else { return nil }
    return String(full[start.upperBound...].prefix { $0 != ")" })
  }
}
