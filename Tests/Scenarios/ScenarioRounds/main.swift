import Foundation
import ScenarioJudging
import Scenarios
import TestPrograms

// Plays all scenarios, or those that are named, in all ways, one after the other, as many rounds as the first argument
// says, and judges each. What tools/judge/scenarios runs.
let arguments = CommandLine.arguments.dropFirst()
let known = Scenario.all.map(\.name)
let names = arguments.dropFirst().isEmpty ? known : Array(arguments.dropFirst())
guard let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0, names.allSatisfy(known.contains) else {
  let line = "scenario-rounds: give the number of rounds, then scenarios: \(known.joined(separator: " "))\n"
  FileHandle.standardError.write(Data(line.utf8))
  exit(2)
}
/// Prints a line at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

var agreed = 0
var disagreed = 0
var excused = 0

for round in 1...rounds {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("scenarios-\(getpid())-\(round)").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  let before = (agreed, disagreed, excused)
  for scenario in names {
    for way in Way.allCases {
      let verdict = try ScenarioRun(scenario, way, in: directory).verdict
      for line in verdict.disagreements { say("  \(scenario), \(way.rawValue): \(line)") }
      for line in verdict.excuses { say("  \(scenario), \(way.rawValue): excused: \(line)") }
      if verdict.agrees { agreed += 1 } else { disagreed += 1 }
      excused += verdict.excuses.count
    }
  }
  let isClean = (disagreed, excused) == (before.1, before.2)
  if isClean { try FileManager.default.removeItem(atPath: directory) }
  say(
    "round \(round) of \(rounds): \(agreed - before.0) agree, \(disagreed - before.1) disagree"
      + (isClean ? "" : "; stores and output are in \(directory)"))
}

say("\(rounds) rounds: \(agreed) agree, \(disagreed) disagree, \(excused) excused because the machine was late")
exit(disagreed == 0 ? 0 : 1)
