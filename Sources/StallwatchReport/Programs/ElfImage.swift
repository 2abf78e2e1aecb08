/// What an ELF file says about how it is loaded. Read from the file alone; nothing is run.
public struct ElfImage: Sendable, Equatable {
  /// The processor and word size for which it was built.
  public var machine: Machine
  /// The dynamic loader it asks for, or nil.
  public var loader: String?
  /// Whether it has a dynamic section: without one, nothing can be preloaded into it.
  public var isDynamic: Bool
  /// The libraries it names, as `libFoundation.so`, in their order.
  public var libraries: [String]
  /// Where it wants its libraries looked for before anything else (`DT_RPATH`, only where `runPath` is empty).
  public var rPath: [String]
  /// Where it wants its libraries looked for (`DT_RUNPATH`).
  public var runPath: [String]
  /// Its build-id in lower-case hexadecimal, or nil.
  public var buildID: String?
  /// Whether it has sections that the Swift compiler makes. False also where the section table was stripped.
  public var hasSwiftSections: Bool

  /// A processor and a word size, as the ELF header names them.
  public struct Machine: Sendable, Equatable {
    /// `e_machine`.
    public var processor: UInt16
    /// 32 or 64.
    public var bits: Int
  }

  /// Reads the file at `path`; nil where it is no little-endian ELF file, cannot be read, or contradicts itself.
  public init?(path: String) {
    guard let file = BinaryFile(path: path) else { return nil }
    self.init(file: file)
  }

  init?(file: BinaryFile) {
    guard let reader = ElfReader(file: file) else { return nil }
    machine = reader.machine
    isDynamic = false
    libraries = []
    rPath = []
    runPath = []
    hasSwiftSections = false
    // The rest of a 32-bit file has another layout, and is of no use to a 64-bit monitor.
    guard machine.bits == 64 else { return }
    guard let segments = reader.segments() else { return nil }

    loader = segments.first { $0.kind == .interpreter }.flatMap { reader.text(of: $0) }
    buildID = reader.buildID(in: segments)
    hasSwiftSections = reader.hasSection(prefix: "swift5_")
    guard let dynamic = segments.first(where: { $0.kind == .dynamic }) else { return }
    isDynamic = true
    guard let entries = reader.dynamicStrings(of: dynamic, segments: segments) else { return nil }
    libraries = entries.filter { $0.tag == .needed }.map(\.text)
    runPath = Self.directories(entries.filter { $0.tag == .runPath })
    rPath = runPath.isEmpty ? Self.directories(entries.filter { $0.tag == .rPath }) : []
  }

  /// The loader would look for each library in each of them.
  private static let mostDirectories = 256

  private static func directories(_ entries: [ElfReader.DynamicString]) -> [String] {
    Array(entries.flatMap { $0.text.split(separator: ":") }.prefix(mostDirectories)).map(String.init)
  }
}
