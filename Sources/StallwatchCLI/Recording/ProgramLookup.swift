import StallwatchLibc

/// Finds the program that a command names, like a shell.
struct ProgramLookup {
  /// The path that a shell searches when PATH is not set.
  static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

  /// The value of PATH; nil where it is not set.
  var path: String?

  /// The path of the file to run for `name`. A name with a slash is a path; any other is looked up in PATH, whose empty
  /// parts mean the working directory. Throws ``Failure`` with a shell's exit codes: 127 not found, 126 not runnable.
  func find(_ name: String) throws -> String {
    if name.contains("/") {
      if let reason = Self.refusal(name) { throw Self.failure(name, reason) }
      return name
    }
    var firstRefusal: Int32?
    let parts = name.isEmpty ? [] : (path ?? Self.defaultPath).split(separator: ":", omittingEmptySubsequences: false)
    for directory in parts {
      let candidate = directory.isEmpty ? "./\(name)" : "\(directory)/\(name)"
      guard let reason = Self.refusal(candidate) else { return candidate }
      if reason != ENOENT, reason != ENOTDIR, firstRefusal == nil { firstRefusal = reason }
    }
    throw Self.failure(name, firstRefusal ?? ENOENT)
  }

  /// Why the file at `path` cannot be run, as an errno; nil where it can.
  private static func refusal(_ path: String) -> Int32? {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT != S_IFDIR else { return EISDIR }
    return access(path, X_OK) == 0 ? nil : errno
  }

  /// The failure for `name`, which the system refuses with `reason`, an errno.
  static func failure(_ name: String, _ reason: Int32) -> Failure {
    switch reason {
    case ENOENT, ENOTDIR:
      Failure(.programNotFound, "\(name): no such program; give its path, or a name that is in PATH")
    case EISDIR:
      Failure(.programNotRunnable, "\(name) is a directory; give the path of a program")
    case EACCES:
      Failure(.programNotRunnable, "\(name) is not executable; make it so with 'chmod +x'")
    default:
      Failure(.programNotRunnable, "\(name) cannot be run: \(String(cString: strerror(reason)))")
    }
  }
}
