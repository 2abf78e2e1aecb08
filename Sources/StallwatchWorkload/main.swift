import Foundation

do {
  switch try Command(arguments: Array(CommandLine.arguments.dropFirst())) {
  case .help:
    print(Options.help)
  case .plan(let options):
    try Plan(options: options).printLines()
  case .run(let options):
    try Workload(options: options).run()
  }
} catch {
  FileHandle.standardError.write(Data("stallwatch-workload: \(error)\n".utf8))
  exit(2)
}
