import Foundation

/// A folder that is gone at the end of its test.
final class TemporaryFolder {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("store-tests-\(UUID().uuidString)").path
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  func file(_ name: String) -> String { path + "/" + name }

  /// The names of all files in it, and their contents.
  var contents: [String: Data] {
    let names = try! FileManager.default.contentsOfDirectory(atPath: path)
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: file($0)) ?? Data()) })
  }
}
