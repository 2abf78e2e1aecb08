/// A row of an answer: each column by its name, as the type that the asker expects.
///
/// Every read throws ``TabSeparatedReader/Broken`` where there is no such column, or it holds something else: then it is
/// not the answer to the query.
package struct ClickHouseRow: Sendable {
  let columns: TabSeparatedReader.Columns
  /// As they came, still escaped.
  let fields: [ArraySlice<UInt8>]

  package func text(_ column: String) throws -> String {
    try TabSeparatedText.text(field(column))
  }

  package func unsigned(_ column: String) throws -> UInt64 {
    try number(field(column), column)
  }

  package func signed(_ column: String) throws -> Int64 {
    try number(field(column), column)
  }

  /// Not finite where the server says `nan` or `inf`.
  package func real(_ column: String) throws -> Double {
    try number(field(column), column)
  }

  package func texts(_ column: String) throws -> [String] {
    try TabSeparatedText.elements(field(column)).map { try TabSeparatedText.text(TabSeparatedText.unquoted($0)) }
  }

  package func unsigneds(_ column: String) throws -> [UInt64] {
    try TabSeparatedText.elements(field(column)).map { try number($0, column) }
  }

  package func reals(_ column: String) throws -> [Double] {
    try TabSeparatedText.elements(field(column)).map { try number($0, column) }
  }

  private func field(_ column: String) throws -> ArraySlice<UInt8> {
    guard let place = columns.places[column] else {
      throw TabSeparatedReader.Broken(reason: "it has no column '\(column)'")
    }
    return fields[place]
  }

  private func number<Number: LosslessStringConvertible>(_ field: ArraySlice<UInt8>, _ column: String) throws -> Number
  {
    guard let number = Number(String(decoding: field, as: UTF8.self)) else {
      throw TabSeparatedReader.Broken(reason: "'\(column)' is not the number that was asked for")
    }
    return number
  }
}
