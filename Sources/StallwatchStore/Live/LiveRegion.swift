import CStallwatch
import StallwatchCore
import StallwatchLibc

/// The file beside a store that holds what a session's monitor knows and the store does not have yet, so that a sudden
/// death costs nothing. It consists of blocks, of which those are written that have changed.
///
/// It is written with `pwrite` and never mapped: a file that is truncated, removed or full costs a write, and no access
/// to memory can fail. For the writer's thread.
final class LiveRegion {
  private let path: String
  private let header: LiveHeader
  private var descriptor: Int32 = -1
  private var pieces: LivePieces
  private var writer = LiveWriter()
  /// Counts the blocks that were written.
  private var sequence: UInt64 = 0
  /// Why the last write failed, in words; nil after one that did not.
  private(set) var trouble: String?
  /// No further file is made after as many failures: the disk would have it only cost time.
  private var attemptsLeft = 8

  /// The live region of a session in the store at `store`. The file is made when it is first written.
  init(store: String, session: Int64, startedNs: Nanoseconds) {
    path = Self.path(of: session, store: store)
    header = LiveHeader(session: session, startedNs: startedNs)
    pieces = LivePieces(from: startedNs)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The path of a session's live region.
  static func path(of session: Int64, store: String) -> String { "\(prefix(store))\(session)" }

  /// The path without the session's number.
  static func prefix(_ store: String) -> String { "\(store)-live-" }

  /// Writes what it does not show yet. Returns false if that is too much for it.
  func show(_ state: inout WriterState) -> Bool {
    state.show(in: &pieces)
    guard pieces.isWhole else { return false }
    pieces.change { $0.pack() }
    if isReady || makeReady() { writeChanges(closings: state.closings) }
    return true
  }

  /// Forgets what it shows: the store has it, and figures of an earlier closing count no more.
  func restart() { pieces.restart() }

  /// Forgets what it shows, which is lost.
  func empty() { pieces.empty() }

  private func writeChanges(closings: Int64) {
    for block in pieces.layout.changed {
      writer.begin()
      writer.append(LiveBlock.emptyHead)
      pieces.layout.append(block: block, to: &writer)
      sequence += 1
      let bytes = writer.bytes[LiveBlock.headLength...]
      writer.replace(at: 0, by: LiveBlock.head(of: bytes, sequence: sequence, closings: closings))
      let offset = LiveHeader.offset(ofBlock: block)
      let count = writer.bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      guard count == writer.bytes.count else { return fail() }
      pieces.change { $0.wasWritten(block) }
    }
    trouble = nil
  }

  /// Removes the file: the store has everything.
  func remove() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    unlink(path)
  }

  /// Removes the files of sessions that the store has in full.
  static func remove(_ paths: [String]) {
    for path in paths { unlink(path) }
  }

  /// Whether the file is there as it was made. One that somebody removed is made again.
  private var isReady: Bool {
    guard descriptor >= 0 else { return false }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_nlink > 0, Int(status.st_size) >= LiveHeader.fileLength {
      return true
    }
    close(descriptor)
    descriptor = -1
    return false
  }

  /// Makes the file, readable for its owner alone, with all its room reserved, so that no later write lacks any.
  private func makeReady() -> Bool {
    guard attemptsLeft > 0 else { return false }
    // What stands there is of a session that is no more, or somebody else's; a link is removed, not followed.
    unlink(path)
    descriptor = stallwatch_set_apart(open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    guard descriptor >= 0 else {
      fail()
      return false
    }
    fchmod(descriptor, 0o600)
    pieces.change { $0.touchAll() }
    let bytes = header.bytes
    let reserved = reserve(descriptor, LiveHeader.fileLength)
    errno = reserved
    guard reserved == 0, bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count
    else {
      fail()
      remove()
      return false
    }
    return true
  }

  private func fail() {
    attemptsLeft -= 1
    trouble =
      "the live region beside the store cannot be written (\(lastSystemError())): a sudden death would cost the "
      + "figures of the last minute"
  }

  /// Reserves room for a file; 0, or why it cannot.
  private func reserve(_ descriptor: Int32, _ length: Int) -> Int32 {
    #if canImport(Darwin)
      var store = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(length),
        fst_bytesalloc: 0)
      if fcntl(descriptor, F_PREALLOCATE, &store) != 0 { return errno }
      return ftruncate(descriptor, off_t(length)) == 0 ? 0 : errno
    #else
      return posix_fallocate(descriptor, 0, off_t(length))
    #endif
  }
}
