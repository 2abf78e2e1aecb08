/// A place in a source file.
public struct SourceLocation: Sendable, Hashable {
  /// The file, as the compiler was told of it.
  public var path: String
  /// The line, from 1; nil for code that the compiler made and that comes from no line.
  public var line: Int?

  /// A place.
  public init(path: String, line: Int?) {
    self.path = path
    self.line = line
  }

  /// `ImageStore.swift:88`; the file's name alone where the line is not known.
  var label: String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return line.map { "\(file):\($0)" } ?? file
  }
}
