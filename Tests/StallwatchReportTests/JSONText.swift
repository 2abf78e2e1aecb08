import Foundation
import Testing

@testable import StallwatchFormats

/// A rendered JSON document, read back by Foundation's parser.
struct JSONText {
  /// What was rendered.
  var text: String

  /// The document that `render` writes.
  init(_ render: (@escaping TextSink) throws -> Void) throws {
    let collector = Collector()
    try render { collector.text += $0 }
    text = collector.text
  }

  /// The document's value.
  var object: [String: Any] {
    get throws { try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) }
  }

  private final class Collector { var text = "" }
}

extension [String: Any] {
  /// An object within.
  func object(_ key: String) throws -> [String: Any] { try #require(self[key] as? [String: Any]) }
  /// An array of objects within.
  func list(_ key: String) throws -> [[String: Any]] { try #require(self[key] as? [[String: Any]]) }
  /// Whether the key is there with null.
  func isNull(_ key: String) -> Bool { self[key] is NSNull }
  /// A whole number within.
  func number(_ key: String) throws -> UInt64 { try #require(self[key] as? NSNumber).uint64Value }
}
