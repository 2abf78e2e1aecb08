// Enqueues and serves as many jobs as the machine can: blocks on a serial and on a concurrent queue, tasks on Swift's pool,
// and calls between actors. Knows nothing of Stallwatch.
//
//   job-storm SECONDS [BURST]
//
// With BURST, that many more blocks wait at one time in every round of jobs. Prints about once a second, and at the end, a
// line of JSON: its process, how many jobs of each kind it did so far, the result of a round, and in how many of the rounds
// that was another one.

import Dispatch
import Foundation

let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
guard (1...2).contains(numbers.count), (1...86_400).contains(numbers[0]), (0...1_000_000).contains(numbers.last ?? 0)
else {
  FileHandle.standardError.write(Data("usage: job-storm SECONDS [BURST], BURST up to 1000000\n".utf8))
  exit(2)
}

/// Seconds of the monotonic clock.
func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

// The monitor comes with the first item, so that it sees all that follow.
let first = DispatchQueue(label: "storm.first")
first.async {}
first.sync {}

let storm = Storm(burst: numbers.count == 2 ? numbers[1] : 0)
var counts = Storm.Counts()
let start = now()
let result = storm.round(&counts)
var (reported, rounds, others) = (start, 1, 0)

@MainActor func report(isOver: Bool) {
  print(
    #"{"process":\#(getpid()),"seconds":\#(now() - start),"serial":\#(counts.serial),"#
      + #""concurrent":\#(counts.concurrent),"tasks":\#(counts.tasks),"hops":\#(counts.hops),"#
      + #""result":\#(result),"rounds":\#(rounds),"others":\#(others),"is_over":\#(isOver)}"#)
  fflush(nil)
}

while now() - start < Double(numbers[0]) {
  if now() - reported >= 1 {
    reported = now()
    report(isOver: false)
  }
  rounds += 1
  if storm.round(&counts) != result { others += 1 }
}
report(isOver: true)
