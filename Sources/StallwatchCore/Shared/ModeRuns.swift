/// A loop's recent runs: which mode it ran in, and when. A late timer finds out here whether its own mode ran at all.
/// Nested runs cut the runs around them: at every moment at most one piece covers it.
///
/// The loop's thread writes. A timer that ends on another thread may read a piece while the loop replaces it, and then
/// misses that piece.
package struct ModeRuns: @unchecked Sendable {
  /// How many pieces fit. A late timer looks back to its due time; no program was ever seen to make 32 nested runs
  /// within that time.
  package static let capacity = 64
  /// How many pieces readers use: one less, because the loop reopens the newest piece when its run goes on, and that
  /// piece has by then replaced the oldest.
  private static let remembered = capacity - 1
  /// The mode of a piece in which the loop may have run in an unobserved mode, or not at all.
  private static let unseen = 0xffff
  /// The zeroed memory that the runs take, in bytes.
  static var byteCount: Int { Fields.byteCount + capacity * PieceFields.byteCount }

  private struct Fields: ~Copyable, SharedFields {
    /// How many pieces were ever closed.
    let closed: SharedWord
    /// The open piece: its mode + 1, and when it began. A mode of 0: none is open.
    let mode: SharedWord
    let start: SharedWord
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

  /// Notes that the innermost run is in `mode` from now on; nil: the loop is outside any run. For the loop's thread.
  func pass(to mode: Int?, at now: Nanoseconds) {
    let open = fields.pointee.mode.load()
    let next = mode.map { UInt64($0) + 1 } ?? 0
    if open == next { return }
    let closed = fields.pointee.closed.load()
    if open != 0 {
      store(Piece(mode: Int(open) - 1, start: fields.pointee.start.load(), end: now), at: closed)
      fields.pointee.closed.release(closed &+ 1)
    } else if next != 0, closed > 0, let last = piece(closed - 1), UInt64(last.mode) + 1 == next,
      now.since(last.end) <= LoopFold.reentry
    {
      // `RunLoop.run` leaves and enters again after every source: the same run goes on.
      fields.pointee.closed.release(closed - 1)
      fields.pointee.start.store(last.start)
      fields.pointee.mode.store(next)
      return
    }
    fields.pointee.start.store(now)
    fields.pointee.mode.store(next)
  }

  /// Notes that the loop was unobserved from `start` to `now`: in no known run. For the loop's thread.
  func blind(from start: Nanoseconds, to now: Nanoseconds) {
    let closed = fields.pointee.closed.load()
    store(Piece(mode: Self.unseen, start: start, end: now), at: closed)
    fields.pointee.closed.release(closed &+ 1)
  }

  /// Calls `body` with the pieces that end after `moment`, newest first. Bounded by ``capacity``.
  func forEach(after moment: Nanoseconds, _ body: (Piece) -> Void) {
    let open = fields.pointee.mode.load()
    if open != 0 { body(Piece(mode: Int(open) - 1, start: fields.pointee.start.load(), end: .max)) }
    var place = fields.pointee.closed.acquire()
    let oldest = place.since(UInt64(Self.remembered))
    while place > oldest {
      place -= 1
      guard let piece = piece(place), piece.end > moment else { return }
      body(piece)
    }
  }

  /// When the oldest remembered piece began, if any piece was forgotten; 0 otherwise. Earlier runs are unknown.
  var knownSince: Nanoseconds {
    let closed = fields.pointee.closed.acquire()
    guard closed > UInt64(Self.remembered) else { return 0 }
    return piece(closed - UInt64(Self.remembered))?.start ?? 0
  }

  /// Forgets all pieces, so that another loop can use the memory.
  func clear() {
    Fields.clear(fields)
    for place in 0..<Self.capacity { PieceFields.clear(pieces + place) }
  }

  private func store(_ piece: Piece, at place: UInt64) {
    let fields = pieces + Int(place % UInt64(Self.capacity))
    fields.pointee.mode.store(UInt64(piece.mode))
    fields.pointee.start.store(piece.start)
    fields.pointee.end.store(piece.end)
  }

  private func piece(_ place: UInt64) -> Piece? {
    let fields = pieces + Int(place % UInt64(Self.capacity))
    let piece = Piece(
      mode: Int(fields.pointee.mode.load()), start: fields.pointee.start.load(), end: fields.pointee.end.load())
    return piece.end >= piece.start ? piece : nil
  }
}
