import StallwatchLibc

/// The stores that `ship` is given: files, folders, and patterns, looked up again each time.
struct FollowedStores {
  let names: [String]
  /// Whether a folder without a store, and a pattern that nothing fits, are fine: one may come.
  let mayBeEmpty: Bool

  /// The paths that are there now, each once. Throws ``Failure``.
  func paths() throws -> [String] {
    var known: Set<String> = []
    return try names.flatMap { name in
      do { return try StoreNames.paths(name) } catch let error as Failure {
        guard mayBeEmpty else { throw error }
        return []
      }
    }.filter { known.insert($0).inserted }
  }

  /// Where the state lies by default: beside the first store.
  var usualState: String {
    let name = names.first ?? "."
    var status = stat()
    if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return name + (name.hasSuffix("/") ? "" : "/") + Self.state
    }
    return name.lastIndex(of: "/").map { name[...$0] + Self.state } ?? Self.state
  }

  private static let state = "stallwatch-ship.state"
}
