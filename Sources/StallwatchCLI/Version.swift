/// Which Stallwatch this is.
enum Version {
  /// What `stallwatch --version` prints; the git tag of a release carries the same number.
  static let current = "0.1.0"
}
