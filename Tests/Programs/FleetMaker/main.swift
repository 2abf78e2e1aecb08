import Foundation

// Writes the stores of a fleet that never was, one for each instance, and the truth about them.

let usage = """
  usage: fleet-maker DIRECTORY INSTANCES DAYS SEED [SLOWER SHARE]

    Makes DIRECTORY/NAME.stallwatch for each instance of a service, with a session a day, and DIRECTORY/truth.json: every
    figure that a report of the fleet should have. Instances go from release 1.0 to 2.0 in the middle days. With SLOWER,
    the cause `Thumbnails.scale(_:)` takes so many times as long in release 2.0, on that share of the instances, and the
    releases differ in nothing else.

    example: fleet-maker fleet 100 7 1 1.2 0.3

  """
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().map { Double($0) ?? -1 }
guard arguments.count == 4 || arguments.count == 6, numbers.allSatisfy({ $0 >= 0 }), numbers[0] >= 1, numbers[1] >= 1
else {
  FileHandle.standardError.write(Data(usage.utf8))
  exit(2)
}
let folder = URL(fileURLWithPath: arguments[0], isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var truth = FleetTruth()
for number in 0..<Int(numbers[0]) {
  var instance = SimulatedInstance(number: number, days: Int(numbers[1]), seed: UInt64(numbers[2]))
  if numbers.count == 5 { instance.slowDown(by: numbers[3], onShare: numbers[4]) }
  try instance.write(into: folder, truth: &truth)
}
try truth.json().write(to: folder.appending(path: "truth.json"))
