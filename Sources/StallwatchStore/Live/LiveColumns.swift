/// Lists of rows of numbers, in which a number takes as many bits as the greatest of its column.
extension LiveWriter {
  /// Puts `columns` numbers of each row. `number` gives that of a row in a column.
  mutating func put<Row>(_ rows: [Row], columns: Int, _ number: (Row, _ column: Int) -> UInt64) {
    put(UInt64(rows.count))
    guard !rows.isEmpty else { return }
    var bits = BitQueue()
    var widths = (0..<columns).map { column in
      UInt64.bitWidth - rows.reduce(0) { $0 | number($1, column) }.leadingZeroBitCount
    }
    // A row has a byte at least, so that a reader takes no more rows than there are bytes.
    widths[0] += max(0, 8 - widths.reduce(0, +))
    for width in widths { bits.put(UInt64(width), width: LiveReader.columnWidthBits, to: &self) }
    for row in rows {
      for column in 0..<columns { bits.put(number(row, column), width: widths[column], to: &self) }
    }
    bits.finish(&self)
  }

  /// Bits that do not fill a byte yet.
  private struct BitQueue {
    private var word: UInt64 = 0
    private var count = 0

    mutating func put(_ number: UInt64, width: Int, to writer: inout LiveWriter) {
      guard width <= 32 else {
        put(number & 0xffff_ffff, width: 32, to: &writer)
        return put(number >> 32, width: width - 32, to: &writer)
      }
      word |= number << UInt64(count)
      count += width
      while count >= 8 {
        writer.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
        count -= 8
      }
    }

    func finish(_ writer: inout LiveWriter) {
      if count > 0 { writer.append(UInt8(truncatingIfNeeded: word)) }
    }
  }
}

extension LiveReader {
  /// How many bits the width of a column has.
  static let columnWidthBits = 7

  /// Rows of `columns` numbers each.
  mutating func rows<Row>(
    columns: Int, _ row: (_ numbers: [UInt64]) throws(Unfit) -> Row
  ) throws(Unfit) -> [Row] {
    let count = try number()
    guard count > 0 else { return [] }
    var bits = BitReader()
    var widths: [Int] = []
    for _ in 0..<columns { widths.append(Int(try bits.number(of: Self.columnWidthBits, from: &self))) }
    guard widths.allSatisfy({ $0 <= UInt64.bitWidth }), widths.reduce(0, +) >= 8, count <= UInt64(bytesLeft) + 1 else {
      throw Unfit()
    }
    var rows: [Row] = []
    var numbers = [UInt64](repeating: 0, count: columns)
    for _ in 0..<count {
      for column in 0..<columns { numbers[column] = try bits.number(of: widths[column], from: &self) }
      rows.append(try row(numbers))
    }
    return rows
  }

  /// Takes bits from bytes, low bits first.
  private struct BitReader {
    private var word: UInt64 = 0
    private var count = 0

    mutating func number(of width: Int, from reader: inout LiveReader) throws(Unfit) -> UInt64 {
      guard width <= 32 else {
        let low = try number(of: 32, from: &reader)
        return low | (try number(of: width - 32, from: &reader)) << 32
      }
      while count < width {
        word |= UInt64(try reader.byte()) << UInt64(count)
        count += 8
      }
      defer {
        word >>= UInt64(width)
        count -= width
      }
      return word & (1 << UInt64(width) - 1)
    }
  }
}
