import Foundation
import Scenarios
import Stallwatch

/// What both programs do that embed the monitor: with hooks linked into them, or without.
public enum EmbeddedScenario {
  /// Plays the scenario that the command line names, watched by a monitor that writes the store named after it. Returns the
  /// program's exit status.
  public static func play(_ arguments: [String]) -> Int32 {
    guard arguments.count == 3, let scenario = Scenario.named(arguments[1]) else {
      let names = Scenario.all.map(\.name).joined(separator: ", ")
      return complain("give one of \(names), and a store", status: 2)
    }
    let monitor: Monitor
    do {
      monitor = try Monitor.start(Configuration(store: arguments[2]))
    } catch {
      return complain("\(error)", status: 3)
    }
    defer { monitor.stop() }
    return scenario.run { monitor.watchCurrentLoop(name: $0) } ? 0 : 1
  }

  private static func complain(_ what: String, status: Int32) -> Int32 {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
    FileHandle.standardError.write(Data("\(program): \(what)\n".utf8))
    return status
  }
}
