import Foundation

/// What tests build or find built: the package's own programs, and small ones made for one test.
public enum Built {
  /// A tool said no.
  public struct Failure: Error, CustomStringConvertible {
    /// What it printed.
    public var description: String
  }

  /// The root of the package.
  public static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Where SwiftPM puts the products of the build that the running test belongs to.
  public static let products: String = {
    var url = Bundle.main.bundleURL
    #if os(Linux)
      url = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    #else
      url = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent() ?? url
    #endif
    return url.path
  }()

  /// One of the package's products.
  public static func product(_ name: String) -> String { "\(products)/\(name)" }

  /// Builds the library that `record` preloads into `directory` and returns its path: as the tests' environment asks, or
  /// `asShipped`, whose code uses other registers.
  @discardableResult
  public static func preload(into directory: String, asShipped: Bool = false) throws -> String {
    try build(["\(package)/tools/build/preload", directory], asShipped ? ["TRAP_UNDEFINED": "0"] : [:])
    return "\(directory)/libStallwatchPreload.so"
  }

  /// Compiles C sources with clang.
  public static func c(_ sources: [String], to path: String, flags: [String] = []) throws {
    try build(["/usr/bin/env", "clang", "-Wall", "-Werror", "-o", path] + sources + flags)
  }

  /// Compiles Swift sources, with objects among them if need be. A program that does not know the paths of its sources is
  /// compiled once for all runs of the tests.
  public static func swift(_ sources: [String], to path: String, flags: [String] = []) throws {
    guard !flags.contains("-g") else { return try compile(sources, to: path, flags: flags) }
    let name = URL(fileURLWithPath: path).lastPathComponent
    let folder = "\(products)/test-programs/compiled/\(name)-\(try digest(of: sources, flags: flags))"
    if !FileManager.default.fileExists(atPath: folder) {
      let new = "\(folder)-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: true)
      // Under its own name, which its module has as well.
      try compile(sources, to: "\(new)/\(name)", flags: flags)
      // In one step, for another test may compile the same; then its program stays.
      if rename(new, folder) != 0 { try FileManager.default.removeItem(atPath: new) }
    }
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: path)
  }

  private static func compile(_ sources: [String], to path: String, flags: [String]) throws {
    try build(["/usr/bin/env", "swiftc", "-o", path] + sources + flags)
  }

  /// What a compiler makes of these sources depends on: FNV-1a of its version, the flags and the contents.
  private static func digest(of sources: [String], flags: [String]) throws -> String {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    add(try targetInfo.get())
    add(flags.joined(separator: "\0").utf8)
    for source in sources { add(try Data(contentsOf: URL(fileURLWithPath: source))) }
    return String(digest, radix: 16)
  }

  private static let targetInfo = Result { try build(["/usr/bin/env", "swiftc", "-print-target-info"]).output }

  /// Where the toolchain keeps the libraries of the Swift runtime.
  public static func runtimeLibraries() throws -> String {
    struct Target: Decodable {
      struct Paths: Decodable { var runtimeLibraryPaths: [String] }
      var paths: Paths
    }
    guard let path = try JSONDecoder().decode(Target.self, from: targetInfo.get()).paths.runtimeLibraryPaths.first
    else {
      throw Failure(description: "no runtime library path")
    }
    return path
  }

  @discardableResult
  private static func build(_ command: [String], _ environment: [String: String] = [:]) throws -> TestRun {
    let run = try TestRun.run(command, environment: environment)
    guard run.exitCode == 0 else { throw Failure(description: "\(command): \(run.errorText)") }
    return run
  }
}
