/// Converts the processor's counter into nanoseconds of the monotonic clock. Any thread may read; one thread replaces
/// the line of conversion now and then. ``SharedWord`` states the rules for memory and ordering.
///
/// A read costs a multiplication and six loads. If the line changes in the middle of a read, the read returns nil, and
/// the caller reads the clock.
package struct CounterConversion: @unchecked Sendable {
  /// The zeroed memory that a conversion takes, in bytes.
  package static var byteCount: Int { Fields.byteCount }

  /// `origin.ns` plus the counts since `origin.counter`, at `rate` in 2^-32 ns a count, for at most `limit` counts.
  package struct Line: Equatable, Sendable {
    var origin: CounterPair
    var rate: UInt64
    var limit: UInt64
  }

  private struct Fields: ~Copyable, SharedFields {
    /// Odd while the writer replaces the line.
    let version: SharedWord
    let counter: SharedWord
    let ns: SharedWord
    let rate: SharedWord
    /// 0 when there is no line.
    let limit: SharedWord
  }

  private let fields: UnsafeMutablePointer<Fields>

  /// Takes ``byteCount`` zeroed bytes at `memory`, aligned to 8, which must never move or be freed while in use. Begins
  /// without a line.
  package init(memory: UnsafeMutableRawPointer) { fields = Fields.bind(memory) }

  /// The moment at which the counter read `counter`; nil when no line covers it.
  @inline(__always)
  package func nanoseconds(at counter: UInt64) -> Nanoseconds? {
    let version = fields.pointee.version.acquire()
    let counts = counter &- fields.pointee.counter.acquire()
    let ns = fields.pointee.ns.acquire()
    let rate = fields.pointee.rate.acquire()
    guard counts < fields.pointee.limit.acquire(), version & 1 == 0, fields.pointee.version.load() == version else {
      return nil
    }
    return ns &+ (counts &* rate) >> 32
  }

  /// Replaces the line; nil removes it. One thread only: the watchdog's.
  package func set(_ line: Line?) {
    let version = fields.pointee.version.load()
    fields.pointee.version.store(version &+ 1)
    // Each is a release, so that no reader sees it before the odd version.
    fields.pointee.counter.release(line?.origin.counter ?? 0)
    fields.pointee.ns.release(line?.origin.ns ?? 0)
    fields.pointee.rate.release(line?.rate ?? 0)
    fields.pointee.limit.release(line?.limit ?? 0)
    fields.pointee.version.release(version &+ 2)
  }
}
