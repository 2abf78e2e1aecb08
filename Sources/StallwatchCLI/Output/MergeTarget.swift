import StallwatchLibc

/// The store to merge into. An existing store is added to; a new one is written beside its place and moved there whole.
struct MergeTarget {
  /// The path to write to.
  let path: String
  /// The final path of a new store; nil for an existing one.
  private let place: String?

  /// Prepares the target at `path`. Throws ``Failure``.
  init(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0 {
      (self.path, place) = (path, nil)
      return
    }
    var template = Array((path + ".merging-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw Failure(.unable, "\(path): cannot create it: \(String(cString: strerror(errno))); check its folder")
    }
    close(descriptor)
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    place = path
  }

  /// Moves a new store to its place. Throws ``Failure``.
  func commit() throws {
    guard let place else { return }
    // Unlike a rename, a link cannot replace a file that appeared there meanwhile.
    guard link(path, place) == 0 else {
      let reason = String(cString: strerror(errno))
      discard()
      throw Failure(.unable, "\(place): cannot move the merged store there: \(reason); check its folder")
    }
    unlink(path)
  }

  /// Removes a new store. An existing one stays as it is.
  func discard() {
    guard place != nil else { return }
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
  }
}
