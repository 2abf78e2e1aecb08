#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The store to merge into. One that is there is added to; a new one is written beside its place and appears there whole.
struct MergeTarget {
  /// Where to write.
  let path: String
  /// Where a new store is to be in the end; nil for one that is there already.
  private let place: String?

  /// The target at `path`. Throws ``Failure``.
  init(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0 {
      (self.path, place) = (path, nil)
      return
    }
    var template = Array((path + ".merging-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw Failure(.unable, "\(path): cannot make it: \(String(cString: strerror(errno))); check its folder")
    }
    close(descriptor)
    self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    place = path
  }

  /// Puts a new store in its place. Throws ``Failure``.
  func commit() throws {
    guard let place else { return }
    // A link, unlike a renaming, takes no other file's place that came there meanwhile.
    guard link(path, place) == 0 else {
      let reason = String(cString: strerror(errno))
      discard()
      throw Failure(.unable, "\(place): cannot put it there: \(reason)")
    }
    unlink(path)
  }

  /// Gives a new store up. One that was there stays as it is.
  func discard() {
    guard place != nil else { return }
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
  }
}
