import StallwatchReport

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

  /// Reads the file at `path`. Throws ``Failure``.
  init(path: String) throws {
    self.path = path
    let text = try Self.text(of: path)
    do {
      budget = try Budget(BudgetValue(toml: text))
    } catch let error as TOMLError {
      throw Failure(.badInput, "\(path), line \(error.line): \(error.message)")
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
    return text
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.badInput, "\(path): cannot read the budget: \(String(cString: strerror(errno)))")
  }
}
