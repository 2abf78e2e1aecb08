import Foundation
import Testing

/// The stores that older versions wrote, as copies that a test may change.
enum Fixture {
  static func version1(in folder: TemporaryFolder) throws -> String {
    let original = try #require(Bundle.module.url(forResource: "v1", withExtension: "db", subdirectory: "Fixtures"))
    let copy = folder.file("v1.db")
    try FileManager.default.copyItem(atPath: original.path, toPath: copy)
    return copy
  }
}
