import StallwatchLibc
import StallwatchSymbols

/// The two libraries that `record` needs, and the other programs of this installation.
struct MonitorLibraries {
  /// The path of the hooks, which every process of the recording loads.
  var preload: String
  /// The path of the monitor, which the hooks load before the first run of a loop.
  var inject: String

  /// The variable that names a directory to search before all others.
  static let directoryVariable = "STALLWATCH_LIBRARIES"

  #if canImport(Darwin)
    private static let suffix = "dylib"
  #else
    private static let suffix = "so"
  #endif

  /// Finds both libraries: in the directory that the environment names, in `../lib/stallwatch` as `tools/install` lays
  /// it out, or beside the executable as `swift build` does. Throws ``Failure``.
  static func find(environment: ProgramEnvironment) throws -> MonitorLibraries {
    let own = executableDirectory()
    let installed = "\(FilePath.directory(of: own))/lib/stallwatch"
    let directories = [environment[directoryVariable], installed, own].compactMap { $0 }
    func library(_ name: String) throws -> String {
      let file = "lib\(name).\(suffix)"
      for directory in directories {
        guard let path = realPath("\(directory)/\(file)") else { continue }
        // The preload variable is a list separated by colons or spaces.
        if path.contains(where: { $0 == ":" || $0 == " " }) {
          throw Failure(.unable, "\(path) cannot be preloaded: its path has a colon or a space; install elsewhere")
        }
        return path
      }
      throw Failure(
        .unable,
        "\(file) is neither in \(installed) nor beside stallwatch; run 'tools/install PREFIX' and use "
          + "PREFIX/bin/stallwatch, or name its directory in \(directoryVariable)")
    }
    return MonitorLibraries(preload: try library("StallwatchPreload"), inject: try library("StallwatchInject"))
  }

  /// The path of another program of this installation. Throws ``Failure``.
  static func program(_ name: String) throws -> String {
    let path = "\(executableDirectory())/\(name)"
    guard access(path, X_OK) == 0 else {
      throw Failure(
        .unable, "\(name) is not beside stallwatch; run 'tools/install PREFIX' and use PREFIX/bin/stallwatch")
    }
    return path
  }

  /// The Swift runtime that the monitor needs, for ``MonitorVariable/runtime``. Throws ``Failure``.
  func runtime(search: LibrarySearch) throws -> String {
    #if canImport(Darwin)
      return ""  // On Darwin Swift's ABI is stable.
    #else
      let core = "libswiftCore.so"
      guard let image = ElfImage(path: inject) else { throw Failure(.unable, "\(inject) is damaged; install it again") }
      guard let corePath = search.closure(of: image, at: inject).found[core] else {
        throw Failure(.unable, "\(inject) needs \(core), which is missing; install it again with this toolchain")
      }
      // The two libraries always come together, wherever they are.
      let foundation = "libFoundation.so"
      let foundationPath = "\(FilePath.directory(of: corePath))/\(foundation)"
      return try [(core, corePath), (foundation, foundationPath)].map { name, path in
        guard let buildID = ElfImage(path: path)?.buildID else {
          throw Failure(
            .unable, "\(path) is missing or has no build-id to compare with a program's; install the toolchain again")
        }
        return "\(name)=\(buildID)"
      }.joined(separator: ",")
    #endif
  }

  private static func executableDirectory() -> String {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size))
      _NSGetExecutablePath(&buffer, &size)
      let path = realPath(String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    #else
      let path = realPath("/proc/self/exe")
    #endif
    return path.map(FilePath.directory(of:)) ?? "."
  }
}
