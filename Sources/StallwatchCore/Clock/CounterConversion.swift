/// Turns the processor's counter into nanoseconds of the monotonic clock, on any thread, by a line that one thread draws anew
/// now and then. Memory and ordering as with ``SharedWords``.
///
/// A read costs a multiplication and six loads. The line may change in the middle of one: then nothing is returned, and
/// the caller reads the clock.
public struct CounterConversion: Sendable {
  /// How much zeroed memory it takes.
  public static let byteCount = Word.count * 8

  /// `origin.ns` plus the counts since `origin.counter`, at `rate` in 2^-32 ns a count, for at most `limit` counts.
  public struct Line: Equatable, Sendable {
    var origin: CounterPair
    var rate: UInt64
    var limit: UInt64
  }

  private enum Word {
    /// Odd while the line is being drawn.
    static let version = 0
    static let counter = 1
    static let ns = 2
    static let rate = 3
    /// 0: no line.
    static let limit = 4
    static let count = 5
  }

  private let words: SharedWords

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use: a conversion
  /// without a line.
  public init(memory: UnsafeMutableRawPointer) { words = SharedWords(memory: memory, count: Word.count) }

  /// The moment of a reading; nil when there is no line for it.
  @inline(__always)
  public func nanoseconds(at counter: UInt64) -> Nanoseconds? {
    let version = words.acquire(Word.version)
    let counts = counter &- words.acquire(Word.counter)
    let ns = words.acquire(Word.ns)
    let rate = words.acquire(Word.rate)
    guard counts < words.acquire(Word.limit), version & 1 == 0, words.load(Word.version) == version else { return nil }
    return ns &+ (counts &* rate) >> 32
  }

  /// Draws the line anew, or takes it away. One thread only.
  public func set(_ line: Line?) {
    let version = words.load(Word.version)
    words.store(Word.version, version &+ 1)
    // Each a release, so that none is seen before the odd version is.
    words.release(Word.counter, line?.origin.counter ?? 0)
    words.release(Word.ns, line?.origin.ns ?? 0)
    words.release(Word.rate, line?.rate ?? 0)
    words.release(Word.limit, line?.limit ?? 0)
    words.release(Word.version, version &+ 2)
  }
}
