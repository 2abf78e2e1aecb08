import Foundation

/// Other programs, run by the tests.
enum Tool {
  struct Result {
    var status: Int32
    var output: String
  }

  /// Runs a program found in PATH, or at a path, to its end; nil when there is none.
  static func run(_ name: String, _ arguments: [String]) -> Result? {
    let output = Pipe()
    guard let process = start(name, arguments, output: output) else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }

  /// Starts a program without waiting for it.
  static func start(_ name: String, _ arguments: [String], input: Pipe? = nil, output: Pipe? = nil) -> Process? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = input ?? FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    return process
  }
}
