import Foundation

/// A directory for a test's files. One of a test's own is gone when the test is.
public final class TestDirectory: Sendable {
  /// Where it is.
  public let path: String

  private let isTemporary: Bool

  /// A directory in the build's own, for what a whole suite shares: it stays, and the next run uses it again.
  public init(shared name: String) throws {
    path = "\(Built.products)/test-programs/\(name)"
    isTemporary = false
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// A new one.
  public init() throws {
    isTemporary = true
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("stallwatch-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  deinit { if isTemporary { try? FileManager.default.removeItem(atPath: path) } }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file into it and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    return file(name)
  }

  /// The text of a file in it, empty where there is none.
  public func read(_ name: String) -> String {
    (try? Data(contentsOf: URL(fileURLWithPath: file(name)))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
