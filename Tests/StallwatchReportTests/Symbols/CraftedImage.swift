import Foundation
import StallwatchCore

@testable import StallwatchReport

/// An ELF file put together by hand, of sections and segments as no compiler makes them.
struct CraftedImage {
  /// What it is to contain.
  var sections: [(name: String, bytes: [UInt8])] = []
  /// Kind, address and content of its segments.
  var segments: [(kind: UInt32, address: UInt64, bytes: [UInt8])] = []
  /// A text that stands at the end of the sections' names, and how many empty sections have a part of it for their name.
  var longName: (text: [UInt8], sections: Int) = ([], 0)

  static let buildID: [UInt8] = [1, 2, 3, 4]

  /// `value` in `width` little-endian bytes.
  static func number(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// So many pieces, one behind the other.
  static func many(_ count: Int, _ piece: (Int) -> [UInt8]) -> [UInt8] { (0..<count).flatMap(piece) }

  /// `value` in unsigned LEB128.
  static func leb(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// A unit of DWARF 4 with these entries, whose shapes are at `abbreviations`.
  static func unit(_ entries: [UInt8], abbreviations: UInt64 = 0) -> [UInt8] {
    let content = number(4, 2) + number(abbreviations, 4) + [8] + entries
    return number(UInt64(content.count), 4) + content
  }

  /// A shape with attributes of a name and a form each.
  static func shape(_ code: UInt64, tag: UInt64, hasChildren: Bool = false, _ attributes: [(UInt64, UInt64)]) -> [UInt8]
  {
    leb(code) + leb(tag) + [hasChildren ? 1 : 0] + attributes.flatMap { leb($0.0) + leb($0.1) } + [0, 0]
  }

  /// Writes it to `path`.
  func write(to path: String) throws {
    let note = Self.number(4, 4) + Self.number(4, 4) + Self.number(3, 4) + Array("GNU\0".utf8) + Self.buildID
    let segments = [(kind: 4, address: 0, bytes: note)] + segments
    var headers: [[UInt8]] = []
    var content: [UInt8] = []
    let contentStart = UInt64(64 + 56 * segments.count)
    var table: [UInt8] = []
    for segment in segments {
      let size = Self.number(UInt64(segment.bytes.count), 8)
      table += Self.number(UInt64(segment.kind), 4) + Self.number(0, 4)
      table += Self.number(contentStart + UInt64(content.count), 8) + Self.number(segment.address, 8)
      table += Self.number(segment.address, 8) + size + size + Self.number(1, 8)
      content += segment.bytes
    }
    var names: [UInt8] = [0]
    func add(_ name: Int, kind: UInt64, _ bytes: [UInt8]) {
      headers.append(
        Self.number(UInt64(name), 4) + Self.number(kind, 4) + Self.number(0, 16)
          + Self.number(contentStart + UInt64(content.count), 8) + Self.number(UInt64(bytes.count), 8)
          + Self.number(0, 24))
      content += bytes
    }
    add(0, kind: 0, [])
    for section in sections {
      names += Array(section.name.utf8) + [0]
      add(names.count - 1 - section.name.utf8.count, kind: 1, section.bytes)
    }
    for place in 0..<longName.sections { add(names.count + place, kind: 1, []) }
    names += longName.text + [0]
    add(0, kind: 3, names)
    let header: [UInt8] =
      [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + Self.number(0, 9) + Self.number(3, 2) + Self.number(62, 2) + Self.number(1, 4)
      + Self.number(0, 8) + Self.number(64, 8) + Self.number(contentStart + UInt64(content.count), 8)
      + Self.number(0, 4)
      + Self.number(64, 2) + Self.number(56, 2) + Self.number(UInt64(segments.count), 2) + Self.number(64, 2)
      + Self.number(UInt64(headers.count), 2) + Self.number(UInt64(headers.count - 1), 2)
    try Data(header + table + content + headers.flatMap { $0 }).write(to: URL(fileURLWithPath: path))
  }
}
