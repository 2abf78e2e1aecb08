import StallwatchLibc
import StallwatchReport

/// A budget in a TOML file.
struct BudgetFile {
  /// The file's path.
  let path: String
  /// The budget in the file.
  let budget: Budget

  /// The largest budget file, in bytes.
  private static let longest = 1 << 16

  /// Reads the file at `path`. Throws ``Failure``.
  init(path: String) throws {
    self.path = path
    budget = try Self.reading(path) { (value) throws(BudgetError) in try Budget(value) }
  }

  /// What `body` makes of the file's top table. Throws ``Failure``.
  static func reading<Limits>(
    _ path: String, _ body: (BudgetValue) throws(BudgetError) -> Limits
  ) throws -> Limits {
    let text = try text(of: path)
    do {
      return try body(BudgetValue(toml: text))
    } catch let error as TOMLError {
      throw Failure(.badInput, "\(path), line \(error.line): \(error.message)")
    } catch let error as BudgetError {
      throw Failure(.badInput, "\(path): \(error)")
    }
  }

  /// The path of the base store, relative to the budget's own folder; nil where the budget names none.
  var basePath: String? {
    guard let store = budget.base?.store else { return nil }
    guard !store.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return store }
    return path[...slash] + store
  }

  private static func text(of path: String) throws -> String {
    // O_NONBLOCK: do not wait for a pipe without a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.badInput, "\(path): is not a regular file; name a budget file in TOML")
    }
    var bytes = [UInt8](repeating: 0, count: longest)
    var count = 0
    while count < bytes.count {
      let step = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
      guard step >= 0 else { throw unreadable(path) }
      if step == 0 { break }
      count += step
    }
    guard count < longest, let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw Failure(.badInput, "\(path): is not a budget file; name a file in TOML, in UTF-8 and below 64 KiB")
    }
    return text
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.badInput, "\(path): cannot read the budget: \(String(cString: strerror(errno))); check the path")
  }
}
