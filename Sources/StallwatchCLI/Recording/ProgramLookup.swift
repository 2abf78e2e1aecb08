#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds the program that a command names, as a shell finds it.
struct ProgramLookup {
  /// Where a shell looks when PATH is not set.
  static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

  /// The value of PATH, or nil where it is not set.
  var path: String?

  /// The file to run for `name`. A name with a slash is a path; any other is looked for in PATH, whose empty parts mean
  /// the working directory. Throws ``Failure`` with a shell's exit codes: 127 not found, 126 not to be run.
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

  /// Why the file at `path` cannot be run, as an errno, or nil where it can.
  private static func refusal(_ path: String) -> Int32? {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT != S_IFDIR else { return EISDIR }
    return access(path, X_OK) == 0 ? nil : errno
  }

  /// What to say about `name`, which the system refuses with `reason`, an errno.
  static func failure(_ name: String, _ reason: Int32) -> Failure {
    switch reason {
    case ENOENT, ENOTDIR:
      Failure(.programNotFound, "\(name): no such program; give its path, or a name that PATH leads to")
    case EISDIR:
      Failure(.programNotRunnable, "\(name) is a directory; give the program in it")
    case EACCES:
      Failure(.programNotRunnable, "\(name) is not executable; see 'chmod +x'")
    default:
      Failure(.programNotRunnable, "\(name) cannot be run: \(String(cString: strerror(reason)))")
    }
  }
}
