/// Converts the processor's counter into nanoseconds of the monotonic clock. Any thread may read; one thread replaces
/// the line of conversion now and then. ``SharedWords`` states the rules for memory and ordering.
///
/// A read costs a multiplication and six loads. If the line changes in the middle of a read, the read returns nil, and
/// the caller reads the clock.
package struct CounterConversion: Sendable {
  /// The zeroed memory that a conversion takes, in bytes.
  package static let byteCount = Word.count * 8

  /// `origin.ns` plus the counts since `origin.counter`, at `rate` in 2^-32 ns a count, for at most `limit` counts.
  package struct Line: Equatable, Sendable {
    var origin: CounterPair
    var rate: UInt64
    var limit: UInt64
  }

  private enum Word {
    /// Odd while the writer replaces the line.
    static let version = 0
    static let counter = 1
    static let ns = 2
    static let rate = 3
    /// 0 when there is no line.
    static let limit = 4
    static let count = 5
  }

  private let words: SharedWords

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use. Begins
  /// without a line.
  package init(memory: UnsafeMutableRawPointer) { words = SharedWords(memory: memory, count: Word.count) }

  /// The moment at which the counter read `counter`; nil when no line covers it.
  @inline(__always)
  package func nanoseconds(at counter: UInt64) -> Nanoseconds? {
    let version = words.acquire(Word.version)
    let counts = counter &- words.acquire(Word.counter)
    let ns = words.acquire(Word.ns)
    let rate = words.acquire(Word.rate)
    guard counts < words.acquire(Word.limit), version & 1 == 0, words.load(Word.version) == version else { return nil }
    return ns &+ (counts &* rate) >> 32
  }

  /// Replaces the line; nil removes it. One thread only: the watchdog's.
  package func set(_ line: Line?) {
    let version = words.load(Word.version)
    words.store(Word.version, version &+ 1)
    // Each is a release, so that no reader sees it before the odd version.
    words.release(Word.counter, line?.origin.counter ?? 0)
    words.release(Word.ns, line?.origin.ns ?? 0)
    words.release(Word.rate, line?.rate ?? 0)
    words.release(Word.limit, line?.limit ?? 0)
    words.release(Word.version, version &+ 2)
  }
}
