import Foundation
import Testing

/// The program `store-writer`, which stands beside the tests' own executable.
enum StoreWriterProgram {
  static var path: String {
    get throws {
      var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      while folder.path != "/" {
        folder.deleteLastPathComponent()
        let program = folder.appendingPathComponent("store-writer").path
        if FileManager.default.isExecutableFile(atPath: program) { return program }
      }
      throw Missing()
    }
  }

  struct Missing: Error {}

  /// Starts it and waits until its session is in the store at `store`.
  static func start(store: String, stalls: Int) throws -> Process {
    let output = Pipe()
    let process = try #require(Tool.start(try path, [store, String(stalls)], output: output))
    #expect(String(decoding: output.fileHandleForReading.readData(ofLength: 6), as: UTF8.self) == "ready\n")
    return process
  }
}
