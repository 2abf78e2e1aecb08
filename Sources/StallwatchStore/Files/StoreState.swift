/// What the file system says about a store and its log: as long as it is the same, nothing was written.
///
/// Asking costs two system calls and opens nothing.
public struct StoreState: Sendable, Equatable {
  private let file: FileStatus
  private let log: FileStatus?

  /// The state of the store at `path`; nil when there is none or it cannot be seen.
  public init?(path: String) {
    guard let file = FileStatus(path: path, followingLinks: true) else { return nil }
    self.file = file
    log = FileStatus(path: path + "-wal", followingLinks: true)
  }
}
