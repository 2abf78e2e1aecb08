// Counts the instructions of what runs on watched threads: an iteration of a folded loop, a timer's callout, a reading of
// the counter clock. Prints them as JSON, by name.
import Foundation
import Steps

/// Runs of each piece. Making it and the counting itself cost the same with few runs as with many.
let (few, many) = (5, 30)

func steps(_ measured: Measured, _ runs: Int) -> Int64 {
  withoutActuallyEscaping(measured.run) { run in
    var body = { run(runs) }
    return withUnsafePointer(to: &body) { pointer in
      steps_of({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
    }
  }
}

var counts: [String: Double] = [:]
for measured in Measured.all {
  // What is done once only, as the binding of symbols, is done here.
  measured.run(few)
  let (first, second) = (steps(measured, few), steps(measured, many))
  guard first >= 0, second >= 0 else {
    FileHandle.standardError.write(Data("activities: this system lets no process be stepped\n".utf8))
    exit(3)
  }
  counts[measured.name] = Double(second - first) / Double(many - few)
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
print(String(decoding: try encoder.encode(counts), as: UTF8.self))
