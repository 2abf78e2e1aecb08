import StallwatchCore

/// HdrHistogram's V2 encoding, uncompressed, for histograms of ``HistogramLayout``: a big-endian header of 40 bytes,
/// then one variable-length integer for each counter, up to the last that is not 0. A negative integer stands for that
/// many counters of 0.
///
/// The format is HdrHistogram's `encodeIntoByteBuffer`, so every HdrHistogram library reads it.
enum HistogramEncoding {
  /// The format's mark: V2, with counters of variable length.
  private static let cookie: UInt32 = 0x1c84_9303 | 0x10
  private static let headerLength = 40
  private static let payloadLengthOffset = 4
  /// The most bytes that any encoding of the layout takes: 3,584 counters of 9 bytes.
  private static let longest = headerLength + HistogramLayout.bucketCount * 9
  /// The most samples that a histogram read from a store may hold: a million a second for 200 days. The bound keeps
  /// HdrHistogram libraries' sums of many histograms below 2^64; some trap beyond.
  static let mostSamples: UInt64 = 1 << 44

  /// Encodes a histogram, given its counters in ascending order.
  static func encode(_ buckets: some Collection<HistogramBucket>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerLength + buckets.count * 3)
    append(cookie, to: &bytes)
    append(0 as UInt32, to: &bytes)  // payload length, stored below
    append(0 as UInt32, to: &bytes)  // normalizing index offset
    append(UInt32(HistogramLayout.significantDigits), to: &bytes)
    append(HistogramLayout.lowestDiscernible, to: &bytes)
    append(HistogramLayout.highestTrackable, to: &bytes)
    append((1.0 as Double).bitPattern, to: &bytes)  // conversion ratio
    var next = 0
    for bucket in buckets {
      let zeros = bucket.index - next
      if zeros > 0 { VariableLengthInteger.append(zeros == 1 ? 0 : -Int64(zeros), to: &bytes) }
      VariableLengthInteger.append(Int64(clamping: bucket.count), to: &bytes)
      next = bucket.index + 1
    }
    let payload = UInt32(bytes.count - headerLength).bigEndian
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: payload, toByteOffset: payloadLengthOffset, as: UInt32.self) }
    return bytes
  }

  /// Encodes a histogram.
  static func encode(_ histogram: DurationHistogram) -> [UInt8] {
    encode(histogram.buckets)
  }

  /// Adds the histogram in `bytes` to `histogram`. If it throws, it has added a part.
  static func add(_ bytes: UnsafeRawBufferPointer, to histogram: inout DurationHistogram) throws(SQLiteFailure) {
    try checkHeader(bytes)
    var position = headerLength
    var index = 0
    while position < bytes.count {
      guard let value = VariableLengthInteger.read(bytes, at: &position) else { throw unfit("cut short") }
      if value <= 0 {
        let zeros = value == 0 ? 1 : value.magnitude
        guard zeros <= UInt64(HistogramLayout.bucketCount - index) else { throw unfit("too many counters") }
        index += Int(zeros)
      } else {
        guard index < HistogramLayout.bucketCount else { throw unfit("too many counters") }
        guard value.magnitude <= mostSamples, histogram.totalCount.saturatingAdd(value.magnitude) <= mostSamples else {
          throw unfit("too many samples")
        }
        histogram.add(value.magnitude, at: index)
        index += 1
      }
    }
  }

  private static func checkHeader(_ bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
    guard bytes.count >= headerLength, bytes.count <= longest else { throw unfit("of the wrong length") }
    guard integer(bytes, at: 0) as UInt32 == cookie else { throw unfit("in another encoding") }
    let payload = Int(integer(bytes, at: payloadLengthOffset) as UInt32)
    guard payload == bytes.count - headerLength else { throw unfit("cut short") }
    guard integer(bytes, at: 8) as UInt32 == 0,
      integer(bytes, at: 12) as UInt32 == UInt32(HistogramLayout.significantDigits),
      integer(bytes, at: 16) as UInt64 == HistogramLayout.lowestDiscernible,
      integer(bytes, at: 24) as UInt64 == HistogramLayout.highestTrackable,
      integer(bytes, at: 32) as UInt64 == (1.0 as Double).bitPattern
    else { throw unfit("of another layout") }
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func integer<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Number {
    Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  private static func unfit(_ complaint: String) -> SQLiteFailure { .badContents("a histogram is \(complaint)") }
}
