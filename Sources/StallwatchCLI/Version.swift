/// The version of this program.
enum Version {
  /// The number that `stallwatch --version` prints. A release's git tag carries the same number.
  static let current = "0.1.0"
}
