import Foundation
import Testing

/// The stores that older versions wrote, as copies that a test may change.
enum Fixture {
  /// The store that version `version` wrote.
  static func version(_ version: Int, in folder: TemporaryFolder) throws -> String {
    let name = "v\(version)"
    let original = try #require(Bundle.module.url(forResource: name, withExtension: "db", subdirectory: "Fixtures"))
    let copy = folder.file(name + ".db")
    try FileManager.default.copyItem(atPath: original.path, toPath: copy)
    return copy
  }
}
