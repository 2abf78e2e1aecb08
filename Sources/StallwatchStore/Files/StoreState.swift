/// The status of a store and its log: while it stays equal, nobody has written to them.
///
/// A reading costs two system calls and opens nothing.
package struct StoreState: Sendable, Equatable {
  private let file: FileStatus
  private let log: FileStatus?

  /// The state of the store at `path`; nil when there is none or it cannot be seen.
  package init?(path: String) {
    guard let file = FileStatus(path: path, followingLinks: true) else { return nil }
    self.file = file
    log = FileStatus(path: path + "-wal", followingLinks: true)
  }
}
