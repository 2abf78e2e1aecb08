import Foundation
import Scenarios

// Plays one scenario, named by the argument. It knows nothing of Stallwatch.
guard CommandLine.arguments.count == 2, let scenario = Scenario.named(CommandLine.arguments[1]) else {
  let names = Scenario.all.map(\.name).joined(separator: ", ")
  FileHandle.standardError.write(Data("scenario-program: name one of \(names)\n".utf8))
  exit(2)
}
exit(scenario.run() ? 0 : 1)
