import Foundation

do {
  switch try Command(arguments: Array(CommandLine.arguments.dropFirst())) {
  case .help:
    print(Options.help)
  case .plan(let options):
    try options.lanes ? LanePlan(options: options).printLines() : Plan(options: options).printLines()
  case .run(let options):
    if options.lanes { try LaneWorkload(options: options).run() }
    try Workload(options: options).run()
  }
} catch {
  FileHandle.standardError.write(Data("stallwatch-workload: \(error)\n".utf8))
  exit(2)
}
