/// What a program says of itself so that its sessions can be told from those of others, and compared: what it is, which
/// version of it, where it runs, and what else is worth asking for. What is not said gets a default where it is read.
package struct SessionLabels: Sendable, Equatable {
  /// A label that every session has one value of.
  package enum Name: String, CaseIterable, Sendable {
    /// What the program is called, such as `checkout`.
    case service
    /// Its version, such as `4.2.0`.
    case release
    /// Where it runs, such as `production`.
    case environment
    /// The machine, container or device that it runs on.
    case instance
  }

  /// One of the other facts.
  package struct Tag: Sendable, Hashable, CustomStringConvertible {
    package var name: String
    package var value: String

    /// The tag that `text` writes as NAME=VALUE; nil where it writes none.
    package init?(_ text: String) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, isFitTagName(parts[0]), isFit(parts[1]) else { return nil }
      (name, value) = (parts[0], parts[1])
    }

    package var description: String { "\(name)=\(value)" }
  }

  /// See ``Name``; nil: not said.
  package var service: String?
  package var release: String?
  package var environment: String?
  package var instance: String?
  /// Other facts, by name, such as `region` = `eu`.
  package var tags: [String: String]

  /// Sets every property as given; checks nothing.
  package init(
    service: String? = nil, release: String? = nil, environment: String? = nil, instance: String? = nil,
    tags: [String: String] = [:]
  ) {
    self.service = service
    self.release = release
    self.environment = environment
    self.instance = instance
    self.tags = tags
  }

  /// Whether nothing is said.
  package var isEmpty: Bool { self == SessionLabels() }

  /// The label of a name.
  package subscript(name: Name) -> String? {
    get { self[keyPath: Self.path(of: name)] }
    set { self[keyPath: Self.path(of: name)] = newValue }
  }

  /// These labels, and of `others` those that these do not have. Tags are compared by name.
  package func completed(by others: SessionLabels) -> SessionLabels {
    var labels = self
    for name in Name.allCases where labels[name] == nil { labels[name] = others[name] }
    labels.tags.merge(others.tags) { own, _ in own }
    return labels
  }

  private static func path(of name: Name) -> WritableKeyPath<SessionLabels, String?> {
    switch name {
    case .service: \.service
    case .release: \.release
    case .environment: \.environment
    case .instance: \.instance
    }
  }
}

/// What labels may be. The library, the environment, the command line and the store's reader all ask here.
extension SessionLabels {
  /// The most bytes of a label or of a tag's value, in UTF-8. As many as label values have that others keep.
  package static let longestText = 256
  /// The most bytes of a tag's name.
  package static let longestTagName = 64
  /// The most tags of a session.
  package static let mostTags = 32

  /// What a label or a tag's value must be, in words that complete "it must be …".
  package static let expectedText = "a text of 1 to \(longestText) bytes in one line"
  /// What a tag must be.
  package static let expectedTag =
    "NAME=VALUE; the name has 1 to \(longestTagName) letters, digits and any of . _ - / (no others), the value 1 to "
    + "\(longestText) bytes in one line"
  /// What a list of tags must be.
  package static let expectedTags =
    "at most \(mostTags) tags NAME=VALUE with commas between them, such as region=eu,tier=free; %2C stands for a comma "
    + "in a value, and %25 for a per cent sign before two digits"

  /// Whether a label or a tag's value may be this.
  package static func isFit(_ text: String) -> Bool {
    (1...longestText).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      }
  }

  /// Whether a tag may have this name.
  package static func isFitTagName(_ name: String) -> Bool {
    (1...longestTagName).contains(name.utf8.count) && name.utf8.allSatisfy(tagNameBytes.contains)
  }

  private static let tagNameBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/".utf8)

  /// What is wrong with these labels: the first setting that may not be as it is, its value, and what it must be; nil
  /// where nothing is.
  package var fault: (setting: String, value: String, expected: String)? {
    for name in Name.allCases {
      if let text = self[name], !Self.isFit(text) { return (name.rawValue, text, Self.expectedText) }
    }
    if tags.count > Self.mostTags { return ("tags", "\(tags.count) tags", "at most \(Self.mostTags) tags") }
    for (name, value) in tags.sorted(by: { $0.key < $1.key }) {
      if !Self.isFitTagName(name) || !Self.isFit(value) { return ("tags", "\(name)=\(value)", Self.expectedTag) }
    }
    return nil
  }

  /// The tags that a list names, as the environment has it; nil where it is none, or names one twice.
  package static func tags(inList list: String) -> [String: String]? {
    var tags: [String: String] = [:]
    for part in list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let text = String(validating: decoded(Array(part)), as: UTF8.self), let tag = Tag(text),
        tags.updateValue(tag.value, forKey: tag.name) == nil
      else { return nil }
    }
    return tags.count > mostTags ? nil : tags
  }

  /// Tags as a list for the environment, in the order of their names.
  package static func list(of tags: [String: String]) -> String {
    tags.sorted { $0.key < $1.key }.map { name, value in
      let bytes = value.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: ","): Array("%2C".utf8)
        case UInt8(ascii: "%"): Array("%25".utf8)
        default: [byte]
        }
      }
      return "\(name)=\(String(decoding: bytes, as: UTF8.self))"
    }.joined(separator: ",")
  }

  /// With the bytes in place of %XX; any other per cent sign stays.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[place + 1...place + 2], as: UTF8.self), radix: 16)
      {
        decoded.append(byte)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    return decoded
  }
}
