import Foundation
import PackagePlugin

/// `swift package stalls`: builds the package's tests, runs them under `stallwatch record`, and reports what held their
/// lanes. The command `stallwatch` must be in the PATH. Arguments go to `stallwatch report`.
@main struct StallsPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    guard let stallwatch = Self.inPath("stallwatch") else {
      throw StallsError("the command 'stallwatch' is not in the PATH: install it with tools/install")
    }
    var parameters = PackageManager.BuildParameters()
    (parameters.logging, parameters.echoLogs) = (.concise, true)
    let build = try packageManager.build(.all(includingTests: true), parameters: parameters)
    guard build.succeeded else { throw StallsError("the tests could not be built") }
    let programs = Self.testPrograms(build, of: context.package)
    guard !programs.isEmpty else {
      throw StallsError(
        "the package has no tests: its build made no test program, and .build/debug has no "
          + Self.testProgram(of: context.package))
    }
    let store = context.pluginWorkDirectoryURL.appendingPathComponent("tests.stallwatch").path
    try? FileManager.default.removeItem(atPath: store)
    var failed = false
    for program in programs {
      // XCTest's, then Swift Testing's, whose status for a program that has none for it is 69.
      for (library, passed) in [([], [0]), (["--testing-library", "swift-testing"], [0, 69])] as [([String], [Int32])] {
        let status = try Self.run(stallwatch, ["record", "--quiet", "-o", store, program.path] + library)
        failed = failed || !passed.contains(status)
      }
    }
    guard try Self.run(stallwatch, ["report", store] + arguments) == 0 else {
      throw StallsError("there is no report on \(store)")
    }
    print("The recording is \(store).")
    if failed { throw StallsError("tests failed") }
  }

  /// The package's test programs.
  private static func testPrograms(_ build: PackageManager.BuildResult, of package: Package) -> [URL] {
    let built = build.builtArtifacts.map(\.url).filter { $0.pathExtension == "xctest" }
    guard built.isEmpty else { return built }
    // SwiftPM does not list them everywhere. They lie where the build lies, perhaps beside some of an older build.
    let folder = package.directoryURL.appendingPathComponent(".build/debug").resolvingSymlinksInPath()
    let program = folder.appendingPathComponent(testProgram(of: package))
    return FileManager.default.fileExists(atPath: program.path) ? [program] : []
  }

  /// The name that SwiftPM gives to the program of all tests of a package.
  private static func testProgram(of package: Package) -> String { "\(package.displayName)PackageTests.xctest" }

  private static func inPath(_ command: String) -> URL? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent(command) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  private static func run(_ program: URL, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    (process.executableURL, process.arguments) = (program, arguments)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// Why there is no report.
private struct StallsError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
