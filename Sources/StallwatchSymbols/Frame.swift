import StallwatchCore

/// One function on a stack.
package struct Frame: Sendable, Hashable {
  /// The function's name in source form; nil where it is not certain.
  package var name: String?
  /// The name without the parts that differ from build to build (``GroupingName``).
  package var groupingName: String?
  /// The Swift module of the function; nil for functions of other languages.
  package var module: String?
  /// The path of the executable or library; nil for an address in none.
  package var image: String?
  /// The image's build-id; nil where it has none.
  package var buildID: String?
  /// The sampled address: from the image's own address 0, or absolute where there is no image.
  package var offset: UInt64
  /// Its place in the source; nil where it is unknown.
  package var location: SourceLocation?
  /// Whether the compiler inlined the function into the next one outwards.
  package var isInlined: Bool
  /// Whether it is code of the system or of Swift's own libraries, not the program's.
  package var isSystem: Bool
  /// Whether it is code of the program's own (``OwnCode``).
  package var isOwn: Bool
  /// Whether it is glue that the compiler made around another function.
  package var isThunk: Bool

  package init(
    name: String?, module: String? = nil, image: String?, buildID: String? = nil, offset: UInt64,
    location: SourceLocation? = nil,
    isInlined: Bool = false, isSystem: Bool = false, isOwn: Bool = false, isThunk: Bool = false
  ) {
    self.name = name
    groupingName = name.map(GroupingName.of)
    self.module = module
    self.image = image
    self.buildID = buildID
    self.offset = offset
    self.location = location
    self.isInlined = isInlined
    self.isSystem = isSystem
    self.isOwn = isOwn
    self.isThunk = isThunk
  }

  /// Stands for the outer frames of a stack that was not read to its end.
  package static let cut = Frame(name: "[stack cut]", image: nil, offset: StackSample.cutMark, isSystem: true)

  /// Stands for the functions that await the one before, where they were not found.
  package static let unknownAwaiter = Frame(
    name: "[awaiting functions unknown]", image: nil, offset: StackSample.unknownAwaiterMark, isSystem: true)

  /// The image's file name.
  package var imageName: String? {
    image.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
  }

  /// The name; without one, `libfoo.so + 0x1a2b`, or the bare address.
  package var label: String {
    if let name { return name }
    let hex = "0x" + String(offset, radix: 16)
    return imageName.map { "\($0) + \(hex)" } ?? hex
  }
}
