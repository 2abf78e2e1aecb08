import StallwatchReport

/// A table of texts that holds each text once, cut to the page's longest name.
struct NameTable {
  private(set) var all: [String] = []
  private var numbers: [String: Int] = [:]

  /// The place of a text, which is added if it is new.
  mutating func number(of name: String) -> Int {
    if let number = numbers[name] { return number }
    numbers[name] = all.count
    // Nothing stays nothing.
    all.append(name.isEmpty ? name : DisplayText.name(name, to: HTMLText.longestName))
    return all.count - 1
  }
}
