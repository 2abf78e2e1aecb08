/// Converts the processor's counter into nanoseconds of the monotonic clock. Any thread may read; one thread replaces
/// the line of conversion now and then. ``SharedWord`` states the rules for memory and ordering.
///
/// A read costs a multiplication and six loads. If the line changes in the middle of a read, the read returns nil, and
/// the caller reads the clock.
@usableFromInline
package struct CounterConversion: @unchecked Sendable {
  /// The zeroed memory that a conversion takes, in bytes.
  package static var byteCount: Int { Fields.byteCount }

  /// `origin.ns` plus the counts since `origin.counter`, at `rate` in 2^-32 ns a count, for at most `limit` counts.
  package struct Line: Equatable, Sendable {
    var origin: CounterPair
    var rate: UInt64
    var limit: UInt64
  }

  @usableFromInline
  struct Fields: ~Copyable, SharedFields {
    /// How many lines there were. Stored before a line's numbers.
    @usableFromInline let version: SharedWord
    @usableFromInline let counter: SharedWord
    @usableFromInline let ns: SharedWord
    @usableFromInline let rate: SharedWord
    /// 0 when there is no line, and while the writer replaces it. Stored after the other numbers.
    @usableFromInline let limit: SharedWord
  }

  @usableFromInline let fields: UnsafeMutablePointer<Fields>

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use. Begins
  /// without a line.
  package init(memory: UnsafeMutableRawPointer) { fields = Fields.bind(memory) }

  /// The moment at which the counter read `counter`; nil when no line covers it.
  @inlinable @inline(__always)
  package func nanoseconds(at counter: UInt64) -> Nanoseconds? {
    let version = fields.pointee.version.acquire()
    let limit = fields.pointee.limit.acquire()
    let counts = counter &- fields.pointee.counter.acquire()
    let ns = fields.pointee.ns.acquire()
    let rate = fields.pointee.rate.acquire()
    guard counts < limit, fields.pointee.version.load() == version else { return nil }
    return ns &+ (counts &* rate) >> 32
  }

  /// Replaces the line; nil removes it. One thread only: the watchdog's.
  package func set(_ line: Line?) {
    // A reader that has seen the new version finds no limit, or the new one and with it the other new numbers. One that
    // has seen the old version finds the new one at its end if it has seen any new number, because each is a release.
    fields.pointee.limit.store(0)
    fields.pointee.version.release(fields.pointee.version.load() &+ 1)
    fields.pointee.counter.release(line?.origin.counter ?? 0)
    fields.pointee.ns.release(line?.origin.ns ?? 0)
    fields.pointee.rate.release(line?.rate ?? 0)
    fields.pointee.limit.release(line?.limit ?? 0)
  }
}
