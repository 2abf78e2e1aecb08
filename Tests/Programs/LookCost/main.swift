// Measures what a look at a held thread costs the monitor: the CPU time of the watchdog's thread, the kernel's part
// included, while a loop is held, less what it takes without looks, for each look. Prints one JSON object.
//
//   look-cost [SECONDS]     3, for each kind of hold

import CStallwatch
import Foundation
import StallwatchCore
import StallwatchProbe

#if os(Linux)
  let seconds = CommandLine.arguments.dropFirst().first.map { Double($0) ?? 0 } ?? 3
  guard seconds > 0 else {
    FileHandle.standardError.write(Data("usage: look-cost [SECONDS]\n".utf8))
    exit(2)
  }

  struct Figures: Encodable {
    struct Part: Encodable {
      var name: String
      var microseconds: Double
    }
    struct Kind: Encodable {
      var name: String
      var isRunning: Bool
      var looks: Int
      /// CPU time of a look by itself, in microseconds: of the first, and the median of the others.
      var firstLook: Double
      var perLook: Double
      /// CPU time of the system calls alone that such a look cannot do without.
      var floor: Double
      /// … and of all that the looks add to the hold, for each.
      var addedPerLook: Double
      /// CPU time of the watchdog in a second of the hold, in milliseconds: with looks, and without.
      var perSecond: Double
      var perSecondWithout: Double
    }
    var parts: [Part]
    /// The system calls alone of looks as far apart as looks are, in each way of being held.
    var floor: [Part]
    var kinds: [Kind]
  }

  func median(_ costs: ArraySlice<UInt64>) -> Double {
    costs.isEmpty ? 0 : Double(costs.sorted()[costs.count / 2])
  }

  var figures = Figures(parts: [], floor: [], kinds: [])
  func inMicroseconds(_ part: Parts.Part) -> Figures.Part {
    Figures.Part(name: part.name, microseconds: part.cost / 1_000)
  }
  figures.parts = Parts.measure().map(inMicroseconds)
  let floors = Dictionary(uniqueKeysWithValues: Hold.Way.allCases.map { ($0, inMicroseconds(Floor.measure($0))) })
  figures.floor = Hold.Way.allCases.compactMap { floors[$0] }
  let interval = ProbeConfiguration().sampleInterval
  var without: [Bool: HeldLoop.Cost] = [:]
  for hold in Hold.all() {
    let isRunning = hold.way == .runs
    if without[isRunning] == nil {
      without[isRunning] = try HeldLoop.cost(every: nil, seconds: seconds, hold.body)
    }
    let base = without[isRunning]?.cpu ?? 0
    let cost = try HeldLoop.cost(every: interval, seconds: seconds, hold.body)
    let added = cost.cpu > base ? cost.cpu - base : 0
    figures.kinds.append(
      Figures.Kind(
        name: hold.name, isRunning: isRunning, looks: cost.looks.count,
        firstLook: Double(cost.looks.first ?? 0) / 1_000, perLook: median(cost.looks.dropFirst()) / 1_000,
        floor: floors[hold.way]?.microseconds ?? 0,
        addedPerLook: Double(added) / Double(max(cost.looks.count, 1)) / 1_000,
        perSecond: Double(cost.cpu) / seconds / 1e6,
        perSecondWithout: Double(base) / seconds / 1e6))
  }
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  print(String(decoding: try encoder.encode(figures), as: UTF8.self))
#endif
