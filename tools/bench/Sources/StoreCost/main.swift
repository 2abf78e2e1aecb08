// Writes stores, through Stallwatch's writer and through nothing but SQLite; prints what that cost as one JSON object.

import Foundation

let usage = """
  usage: store-cost write STORE STALLS [SAMPLES] [--loops N] [--timers N] [--ticks]
         store-cost raw FROM COPY rows|statements TRANSACTIONS [PAUSE]

    write  through the writer: so many stalls, each with so many samples (8), of so many loops (1) in turn; each loop
           has so many timers (0), all of which its stalls hurt; with ticks, the drift probe's, one a second on each
    raw    the rows of FROM through prepared inserts; `statements`: as the writer must, stalls begun first and completed
           when they end; with a pause of so many milliseconds before each transaction (0)

  """

/// Ends the program: it was not used as it is meant to be.
func refuse() -> Never {
  FileHandle.standardError.write(Data(usage.utf8))
  exit(2)
}

/// What `write` is to write; nil where that is not understood.
func contents(_ words: [String]) -> Contents? {
  var words = words[...]
  guard let stalls = words.popFirst().flatMap({ Int($0) }), stalls >= 0 else { return nil }
  var contents = Contents(stalls: stalls)
  if let samples = words.first.flatMap({ Int($0) }), samples >= 0 {
    contents.samples = samples
    words.removeFirst()
  }
  while let word = words.popFirst() {
    switch word {
    case "--ticks": contents.ticks = true
    case "--loops":
      guard let loops = words.popFirst().flatMap({ Int($0) }), loops > 0 else { return nil }
      contents.loops = loops
    case "--timers":
      guard let timers = words.popFirst().flatMap({ Int($0) }), timers >= 0 else { return nil }
      contents.timers = timers
    default: return nil
    }
  }
  return contents
}

let arguments = Array(CommandLine.arguments.dropFirst())
let facts: [String: Any]
switch arguments.first {
case "write":
  guard arguments.count > 2, let contents = contents(Array(arguments[2...])) else { refuse() }
  facts = try writeThroughRecorder(arguments[1], contents)
case "raw":
  guard (5...6).contains(arguments.count), let transactions = Int(arguments[4]), transactions > 0,
    let pause = UInt32(arguments.count > 5 ? arguments[5] : "0"), pause <= 60_000
  else { refuse() }
  facts = try RawCopy(from: arguments[1])
    .write(
      arguments[2], completing: arguments[3] == "statements", transactions: transactions,
      pause: pause * 1_000)
case "--help":
  print(usage, terminator: "")
  exit(0)
default: refuse()
}
print(String(decoding: try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys]), as: UTF8.self))
