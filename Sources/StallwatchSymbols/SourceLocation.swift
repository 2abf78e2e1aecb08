/// A place in a source file.
package struct SourceLocation: Sendable, Hashable {
  /// The file's path, as the debug information gives it.
  package var path: String
  /// The line, from 1; nil for compiler-made code without a source line.
  package var line: Int?

  package init(path: String, line: Int?) {
    self.path = path
    self.line = line
  }

  /// `ImageStore.swift:88`; without a line, the file's name alone.
  package var label: String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return line.map { "\(file):\($0)" } ?? file
  }
}
