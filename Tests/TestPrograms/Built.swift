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

  /// Builds the library that `record` preloads into `directory` and returns its path.
  @discardableResult
  public static func preload(into directory: String) throws -> String {
    try build(["\(package)/tools/preload", directory])
    return "\(directory)/libStallwatchPreload.so"
  }

  /// Compiles C sources with clang.
  public static func c(_ sources: [String], to path: String, flags: [String] = []) throws {
    try build(["/usr/bin/env", "clang", "-Wall", "-Werror", "-o", path] + sources + flags)
  }

  /// Compiles Swift sources, with objects among them if need be.
  public static func swift(_ sources: [String], to path: String, flags: [String] = []) throws {
    try build(["/usr/bin/env", "swiftc", "-o", path] + sources + flags)
  }

  /// Where the toolchain keeps the libraries of the Swift runtime.
  public static func runtimeLibraries() throws -> String {
    struct Target: Decodable {
      struct Paths: Decodable { var runtimeLibraryPaths: [String] }
      var paths: Paths
    }
    let info = try build(["/usr/bin/env", "swiftc", "-print-target-info"])
    guard let path = try JSONDecoder().decode(Target.self, from: info.output).paths.runtimeLibraryPaths.first else {
      throw Failure(description: "no runtime library path")
    }
    return path
  }

  @discardableResult
  private static func build(_ command: [String]) throws -> TestRun {
    let run = try TestRun.run(command)
    guard run.exitCode == 0 else { throw Failure(description: "\(command): \(run.errorText)") }
    return run
  }
}
