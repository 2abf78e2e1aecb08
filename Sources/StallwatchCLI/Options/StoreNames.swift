import StallwatchLibc

/// The stores that a word of the command line names: a file, the stores in a folder, or all that a pattern fits.
enum StoreNames {
  /// The paths that `name` stands for, in the order of their names. A file of that name comes before a pattern. Throws
  /// ``Failure`` where a folder or a pattern yields none, and where a folder cannot be read.
  static func paths(_ name: String) throws -> [String] {
    var status = stat()
    let exists = stat(name, &status) == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      let slash = name.hasSuffix("/") ? "" : "/"
      let found = try matches(escaped(name) + slash + "*.stallwatch", of: name)
      guard !found.isEmpty else {
        throw Failure(.badInput, "\(name): is a folder without a store; name a folder with files *.stallwatch")
      }
      return found
    }
    guard !exists, name.contains(where: { "*?[".contains($0) }) else { return [name] }
    let found = try matches(name, of: name)
    guard !found.isEmpty else { throw Failure(.badInput, "\(name): no store has such a name; check the pattern") }
    return found
  }

  /// The paths that `pattern` fits. Throws ``Failure`` where a folder that may hold some cannot be read: fewer stores
  /// than are meant would be another answer.
  private static func matches(_ pattern: String, of name: String) throws -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    // A folder that is not there holds nothing.
    let status = glob(pattern, 0, { _, error in error == ENOENT || error == ENOTDIR ? 0 : 1 }, &found)
    if status == GLOB_NOMATCH { return [] }
    guard status == 0, let paths = found.gl_pathv else {
      throw Failure(.badInput, "\(name): cannot be read; check the rights of its folders")
    }
    return (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }

  /// A name in which nothing is a pattern.
  private static func escaped(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      if "*?[\\".contains(letter) { text.append("\\") }
      text.append(letter)
    }
  }
}
