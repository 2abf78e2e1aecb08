/// A loop's recent runs: which mode it ran in, and when. A late timer finds out here whether its own mode ran at all.
/// Nested runs cut the runs around them: at every moment at most one piece covers it.
///
/// The loop's thread writes. A timer that ends on another thread may read a piece while the loop replaces it, and then
/// misses that piece.
package struct ModeRuns: @unchecked Sendable {
  /// How many pieces fit. A late timer looks back to its due time; no program was ever seen to make 32 nested runs
  /// within that time.
  package static let capacity = 64
  /// The mode of a piece in which the loop may have run in an unobserved mode, or not at all.
  private static let unseen = 0xffff
  /// The zeroed memory that the runs take, in bytes.
  static var byteCount: Int { Fields.byteCount + capacity * PieceFields.byteCount }

  private struct Fields: ~Copyable, SharedFields {
    /// How many pieces were ever closed.
    let closed: SharedWord
    /// The newest piece: its mode + 1, and when it began. A mode of 0: there is none.
    let mode: SharedWord
    let start: SharedWord
    /// When the loop left it for outside any run; 0 while it is in it. It stays open, because `RunLoop.run` leaves and
    /// enters again after every source: the same run goes on.
    let left: SharedWord
  }

  private struct PieceFields: ~Copyable, SharedFields {
    let mode: SharedWord
    let start: SharedWord
    let end: SharedWord
  }

  private let fields: UnsafeMutablePointer<Fields>
  private let pieces: UnsafeMutablePointer<PieceFields>

  /// A stretch of time in one mode, without the runs nested in it.
  package struct Piece: Equatable, Sendable {
    /// The mode's place in the loop's table; beyond the table where the mode is unknown.
    package var mode: Int
    /// When it began, on the monotonic clock.
    package var start: Nanoseconds
    /// When it ended; `UInt64.max` for the one under way.
    package var end: Nanoseconds
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  @inline(__always)
  init(memory: UnsafeMutableRawPointer) {
    fields = Fields.bind(memory)
    pieces = (memory + Fields.byteCount).bindMemory(to: PieceFields.self, capacity: Self.capacity)
  }

  /// Notes that the innermost run is in `mode` from now on. For the loop's thread.
  func pass(to mode: Int, at now: Nanoseconds) {
    if fields.pointee.mode.load() == UInt64(truncatingIfNeeded: mode) &+ 1 {
      let left = fields.pointee.left.load()
      if left == 0 { return }
      if now.since(left) <= LoopFold.reentry { return fields.pointee.left.store(0) }
    }
    close(at: now)
    fields.pointee.start.store(now)
    fields.pointee.left.store(0)
    fields.pointee.mode.store(UInt64(mode) + 1)
  }

  /// Notes that the loop is again in the run that it has just left for outside any run, if that was in `mode`; false,
  /// and nothing noted, if not. For the loop's thread.
  @inline(__always)
  func goOn(in mode: Int) -> Bool {
    guard fields.pointee.mode.load() == UInt64(truncatingIfNeeded: mode) &+ 1 else { return false }
    fields.pointee.left.store(0)
    return true
  }

  /// Notes that the loop is in another run from now on, of the mode that it has left for outside any run; in any mode
  /// if that was not the newest. For the loop's thread.
  @inline(__always)
  func beginAnew(in mode: Int, at now: Nanoseconds) {
    guard fields.pointee.mode.load() == UInt64(truncatingIfNeeded: mode) &+ 1 else { return pass(to: mode, at: now) }
    let closed = fields.pointee.closed.load()
    let place = pieces + Int(truncatingIfNeeded: closed & UInt64(Self.capacity &- 1))
    place.pointee.mode.store(UInt64(truncatingIfNeeded: mode))
    place.pointee.start.store(fields.pointee.start.load())
    place.pointee.end.store(fields.pointee.left.load())
    fields.pointee.closed.release(closed &+ 1)
    fields.pointee.start.store(now)
    fields.pointee.left.store(0)
  }

  /// Notes that the loop is outside any run from now on. For the loop's thread.
  @inline(__always)
  func leave(at now: Nanoseconds) { fields.pointee.left.store(now) }

  /// Notes that the loop was unobserved from `start` to `now`: in no known run. For the loop's thread.
  func blind(from start: Nanoseconds, to now: Nanoseconds) {
    close(at: now)
    store(Piece(mode: Self.unseen, start: start, end: now))
  }

  /// Closes the newest piece, if there is one.
  private func close(at now: Nanoseconds) {
    let open = fields.pointee.mode.load()
    guard open != 0 else { return }
    let left = fields.pointee.left.load()
    store(Piece(mode: Int(open) - 1, start: fields.pointee.start.load(), end: left == 0 ? now : left))
    fields.pointee.mode.store(0)
  }

  /// Calls `body` with the pieces that end after `moment`, newest first. Bounded by ``capacity``.
  func forEach(after moment: Nanoseconds, _ body: (Piece) -> Void) {
    let open = fields.pointee.mode.load()
    if open != 0 {
      let left = fields.pointee.left.load()
      if left != 0, left <= moment { return }
      body(Piece(mode: Int(open) - 1, start: fields.pointee.start.load(), end: left == 0 ? .max : left))
    }
    var place = fields.pointee.closed.acquire()
    let oldest = place.since(UInt64(Self.capacity))
    while place > oldest {
      place -= 1
      guard let piece = piece(place), piece.end > moment else { return }
      body(piece)
    }
  }

  /// When the oldest remembered piece began, if any piece was forgotten; 0 otherwise. Earlier runs are unknown.
  var knownSince: Nanoseconds {
    let closed = fields.pointee.closed.acquire()
    guard closed > UInt64(Self.capacity) else { return 0 }
    return piece(closed - UInt64(Self.capacity))?.start ?? 0
  }

  /// Forgets all pieces, so that another loop can use the memory.
  func clear() {
    Fields.clear(fields)
    for place in 0..<Self.capacity { PieceFields.clear(pieces + place) }
  }

  private func store(_ piece: Piece) {
    let closed = fields.pointee.closed.load()
    let place = pieces + Int(closed % UInt64(Self.capacity))
    place.pointee.mode.store(UInt64(piece.mode))
    place.pointee.start.store(piece.start)
    place.pointee.end.store(piece.end)
    fields.pointee.closed.release(closed &+ 1)
  }

  private func piece(_ place: UInt64) -> Piece? {
    let fields = pieces + Int(place % UInt64(Self.capacity))
    let piece = Piece(
      mode: Int(fields.pointee.mode.load()), start: fields.pointee.start.load(), end: fields.pointee.end.load())
    return piece.end >= piece.start ? piece : nil
  }
}
