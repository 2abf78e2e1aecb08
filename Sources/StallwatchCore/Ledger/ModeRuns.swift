/// The recent runs of a loop: in which mode it ran when, so that a timer that comes late can say whether its own mode ran
/// at all. Nested runs cut those around them: at every moment at most one piece covers it.
///
/// Written by the loop's thread; a timer that ends on another thread may read a piece that is being replaced, and then
/// misses that piece.
public struct ModeRuns: @unchecked Sendable {
  /// How many pieces have room. A late timer looks back to its due time; a program that runs 32 nested runs within that is
  /// beyond what was ever seen.
  public static let capacity = 64
  /// How many are read: one less, because the newest is taken back when its run goes on, and has by then replaced the
  /// oldest.
  private static let remembered = capacity - 1
  /// The mode of a piece in which the loop may have run in a mode that was not observed, or not at all.
  private static let unseen = 0xffff
  /// How much zeroed memory they take.
  public static let byteCount = (Word.pieces + capacity * 3) * 8

  private let words: SharedWords

  private enum Word {
    /// How many pieces were ever closed.
    static let closed = 0
    /// The open piece: its mode + 1, and when it began.
    static let mode = 1
    static let start = 2
    static let pieces = 3
  }

  /// Time in one mode.
  public struct Piece: Equatable, Sendable {
    /// The mode's place in the loop's table; beyond it where that is not known.
    public var mode: Int
    /// When it began.
    public var start: Nanoseconds
    /// When it ended; `UInt64.max` for the one that goes on.
    public var end: Nanoseconds
  }

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use.
  init(memory: UnsafeMutableRawPointer) {
    words = SharedWords(memory: memory, count: Self.byteCount / 8)
  }

  /// The loop's innermost run is in `mode` from now on; nil: it is outside any run. The loop's thread only.
  func pass(to mode: Int?, at now: Nanoseconds) {
    let open = words.load(Word.mode)
    let next = mode.map { UInt64($0) + 1 } ?? 0
    if open == next { return }
    let closed = words.load(Word.closed)
    if open != 0 {
      store(Piece(mode: Int(open) - 1, start: words.load(Word.start), end: now), at: closed)
      words.release(Word.closed, closed &+ 1)
    } else if next != 0, closed > 0, let last = piece(closed - 1), UInt64(last.mode) + 1 == next,
      now.since(last.end) <= LoopFold.reentry
    {
      // `RunLoop.run` leaves and enters again after every source: one run goes on.
      words.release(Word.closed, closed - 1)
      words.store(Word.start, last.start)
      words.store(Word.mode, next)
      return
    }
    words.store(Word.start, now)
    words.store(Word.mode, next)
  }

  /// What the loop did from `start` to `now` was not seen; it is in no run that was. The loop's thread only.
  func blind(from start: Nanoseconds, to now: Nanoseconds) {
    let closed = words.load(Word.closed)
    store(Piece(mode: Self.unseen, start: start, end: now), at: closed)
    words.release(Word.closed, closed &+ 1)
  }

  /// Calls `body` with the pieces that reach past `moment`, newest first. Bounded by ``capacity``.
  func forEach(after moment: Nanoseconds, _ body: (Piece) -> Void) {
    let open = words.load(Word.mode)
    if open != 0 { body(Piece(mode: Int(open) - 1, start: words.load(Word.start), end: .max)) }
    var place = words.acquire(Word.closed)
    let oldest = place.since(UInt64(Self.remembered))
    while place > oldest {
      place -= 1
      guard let piece = piece(place), piece.end > moment else { return }
      body(piece)
    }
  }

  /// When the oldest piece that is remembered began, if any was forgotten: before it nothing is known.
  var knownSince: Nanoseconds {
    let closed = words.acquire(Word.closed)
    guard closed > UInt64(Self.remembered) else { return 0 }
    return piece(closed - UInt64(Self.remembered))?.start ?? 0
  }

  /// Forgets all, for memory that is used again.
  func clear() { for word in 0..<(Self.byteCount / 8) { words.store(word, 0) } }

  private func store(_ piece: Piece, at place: UInt64) {
    let word = Word.pieces + Int(place % UInt64(Self.capacity)) * 3
    words.store(word, UInt64(piece.mode))
    words.store(word + 1, piece.start)
    words.store(word + 2, piece.end)
  }

  private func piece(_ place: UInt64) -> Piece? {
    let word = Word.pieces + Int(place % UInt64(Self.capacity)) * 3
    let piece = Piece(mode: Int(words.load(word)), start: words.load(word + 1), end: words.load(word + 2))
    return piece.end >= piece.start ? piece : nil
  }
}
