import StallwatchReport
import TOMLKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A budget as a file in TOML.
struct BudgetFile {
  /// Where it is.
  let path: String
  /// What it says.
  let budget: Budget

  /// More bytes are no budget.
  private static let longest = 1 << 16
  /// More dots in a line are no key and no name. The parser calls itself for each part of a key, until no stack is left.
  private static let mostDots = 32

  /// Reads the file at `path`. Throws ``Failure``.
  init(path: String) throws {
    self.path = path
    let text = try Self.text(of: path)
    do {
      budget = try Budget(Self.value(try TOMLTable(string: text)))
    } catch let error as TOMLParseError {
      throw Failure(.badInput, "\(path), line \(error.source.begin.line): \(error.description)")
    } catch let error as BudgetError {
      throw Failure(.badInput, "\(path): \(error)")
    }
  }

  /// The base store, which is named from the budget's own folder; nil where there is none.
  var basePath: String? {
    guard let store = budget.base?.store else { return nil }
    guard !store.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return store }
    return path[...slash] + store
  }

  private static func text(of path: String) throws -> String {
    guard let file = fopen(path, "re") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: longest)
    errno = 0
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else { throw unreadable(path) }
    guard count < longest, let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw Failure(.badInput, "\(path): is no budget file; name one in TOML")
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if let line = lines.firstIndex(where: { $0.count { $0 == "." } > mostDots }) {
      throw Failure(.badInput, "\(path), line \(line + 1): has more than \(mostDots) dots; no key of a budget does")
    }
    return text
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.badInput, "\(path): cannot read the budget: \(String(cString: strerror(errno)))")
  }

  private static func value(_ table: TOMLTable) -> BudgetValue {
    .table(Dictionary(table.keys.compactMap { key in table[key].map { (key, value($0)) } }) { first, _ in first })
  }

  private static func value(_ value: any TOMLValueConvertible) -> BudgetValue {
    if let table = value.table { return self.value(table) }
    if let array = value.array { return .list(array.map { self.value($0) }) }
    if let number = value.int { return .number(Double(number)) }
    if let number = value.double { return .number(number) }
    if let date = value.date {
      return .date("\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))")
    }
    return value.string.map { .text($0) } ?? .other
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }
}
