/// Where and why a text is not TOML.
package struct TOMLError: Error, Equatable {
  /// The line number, counted from 1.
  package var line: Int
  /// What is wrong with the line, as a predicate: "has a control character in a text".
  package var message: String
}
