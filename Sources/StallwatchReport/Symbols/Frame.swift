import StallwatchCore

/// One function on a stack.
public struct Frame: Sendable, Hashable {
  /// The function's name in source form; nil where it is not known for certain.
  public var name: String?
  /// The name without what differs from build to build (``GroupingName``).
  public var groupingName: String?
  /// The Swift module that the function belongs to; nil for functions of other languages.
  public var module: String?
  /// The path of the executable or library; nil for an address in none.
  public var image: String?
  /// The image's build-id; nil where it has none.
  public var buildID: String?
  /// The sampled address: from the image's own address 0, or absolute where there is no image.
  public var offset: UInt64
  /// Where in the source it stands.
  public var location: SourceLocation?
  /// Whether the compiler copied the function into the next one outwards.
  public var isInlined: Bool
  /// Whether it is code of the system or of Swift's own libraries, not the program's.
  public var isSystem: Bool
  /// Whether it is glue that the compiler made around another function.
  public var isThunk: Bool

  /// A frame.
  public init(
    name: String?, module: String? = nil, image: String?, buildID: String? = nil, offset: UInt64,
    location: SourceLocation? = nil,
    isInlined: Bool = false, isSystem: Bool = false, isThunk: Bool = false
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
    self.isThunk = isThunk
  }

  /// Stands for the outer frames of a stack that was not read to its end.
  static let cut = Frame(name: "[stack cut]", image: nil, offset: StackSample.cutMark, isSystem: true)

  /// The image's file name.
  public var imageName: String? {
    image.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
  }

  /// The name, or `libfoo.so + 0x1a2b`, or the bare address.
  public var label: String {
    if let name { return name }
    let hex = "0x" + String(offset, radix: 16)
    return imageName.map { "\($0) + \(hex)" } ?? hex
  }
}
