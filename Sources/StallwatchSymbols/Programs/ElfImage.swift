/// What an ELF file says about how it is loaded. Reads the file alone and runs nothing.
package struct ElfImage: Sendable, Equatable {
  /// The processor and word size for which the file was built.
  package var machine: Machine
  /// The dynamic loader that it requests; nil for none.
  package var loader: String?
  /// Whether it has a dynamic section. Without one, nothing can be preloaded into it.
  package var isDynamic: Bool
  /// The libraries that it needs, such as `libFoundation.so`, in the order of the file.
  package var libraries: [String]
  /// The directories to search for libraries before all others (`DT_RPATH`); empty where `runPath` is not.
  package var rPath: [String]
  /// The directories to search for libraries (`DT_RUNPATH`).
  package var runPath: [String]
  /// Its build-id in lower-case hexadecimal; nil where it has none.
  package var buildID: String?
  /// Whether it has sections that the Swift compiler makes. Also false where the section table was stripped.
  package var hasSwiftSections: Bool

  /// A processor and a word size, as the ELF header names them.
  package struct Machine: Sendable, Equatable {
    /// `e_machine`.
    package var processor: UInt16
    /// 32 or 64.
    package var bits: Int
  }

  /// Reads the file at `path`; nil where it is not a little-endian ELF file, cannot be read, or contradicts itself.
  package init?(path: String) {
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
    // The rest of a 32-bit file has another layout, and a 64-bit monitor has no use for it.
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

  /// The most search directories. The loader would look in each of them for each library.
  private static let mostDirectories = 256

  private static func directories(_ entries: [ElfReader.DynamicString]) -> [String] {
    Array(entries.flatMap { $0.text.split(separator: ":") }.prefix(mostDirectories)).map(String.init)
  }
}
