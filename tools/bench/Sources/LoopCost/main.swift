// Turns run loops in a known way under one monitor and prints what that cost; --help explains.

import CoreFoundation
import Foundation

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
  let asked = CommandLine.arguments.dropFirst().first == "--help"
  (asked ? FileHandle.standardOutput : .standardError).write(Data((Options.usage + "\n").utf8))
  exit(asked ? 0 : 2)
}

let residentBefore = ProcessFacts.residentKiB
let began = read(clock: CLOCK_MONOTONIC)
// Stepped callouts take milliseconds, and are no stalls.
let watch = try Watch(options.monitor, store: options.store, threshold: options.steps ? .seconds(1) : nil)
let startNs = read(clock: CLOCK_MONOTONIC) - began
var facts: [String: Any] = [
  "monitor": options.monitor.rawValue, "iteration": options.iteration.rawValue, "modes": options.modes,
  "threads": options.threads, "start_ns": startNs,
]

switch options.iteration {
case _ where options.steps:
  facts["activities"] = options.iteration.activities
  facts["instructions"] = stepLoop(options, under: watch)
case .blocking, .source0, .polling:
  let (loops, processCPU, parts) = turnLoops(options, under: watch)
  let turns = Double(options.iterations / options.modes * options.modes)
  let mean = { (value: (LoopMeasure) -> UInt64) in
    loops.map { Double(value($0)) }.reduce(0, +) / Double(loops.count) / turns
  }
  facts["activities"] = options.iteration.activities
  facts["ns"] = mean(\.cpu)
  facts["elapsed_ns"] = mean(\.elapsed)
  if !parts.isEmpty {
    let turns = Double(options.iterations / options.parts / options.modes * options.modes)
    facts["parts_ns"] = parts.map { Double($0.cpu) / turns }
  }
  facts["process_ns"] = Double(processCPU) / turns / Double(loops.count)
  if loops.allSatisfy({ $0.instructions != nil }) { facts["instructions"] = mean { $0.instructions ?? 0 } }
case .idle, .busy, .turning, .uneven:
  rest(options, under: watch, into: &facts)
case .start:
  let before = read(clock: CLOCK_MONOTONIC)
  let loop = TurningLoop(modes: options.modes, iteration: .polling)
  let made = read(clock: CLOCK_MONOTONIC)
  watch.watchCurrentLoop(name: "main", modes: loop.modes)
  facts["attach_ns"] = read(clock: CLOCK_MONOTONIC) - made
  facts["made_ns"] = made - before
}
facts["resident_kib"] = ProcessFacts.residentKiB
facts["resident_added_kib"] = ProcessFacts.residentKiB - residentBefore
watch.stop()

print(String(decoding: try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys]), as: UTF8.self))
exit(0)
