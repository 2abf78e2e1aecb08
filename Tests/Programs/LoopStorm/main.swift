import CoreFoundation
import Foundation

// usage: loop-storm ALIVE TOTAL
//
// Runs TOTAL threads, ALIVE of them at a time. Each runs a run loop with a timer of 5 ms and a performed block, computes for
// about half a millisecond at each fire, and ends after four; one callout of every tenth holds its loop for 60 ms. Knows
// nothing of Stallwatch. Prints its own truth as one line of JSON: loops run, holds and fires counted, wall and CPU time
// from the first thread to the last one's end.

guard CommandLine.arguments.count == 3, let alive = Int(CommandLine.arguments[1]),
  let total = Int(CommandLine.arguments[2]), (1...400).contains(alive), (alive...100_000).contains(total)
else {
  FileHandle.standardError.write(Data("usage: loop-storm ALIVE TOTAL, ALIVE 1 to 400, TOTAL up to 100000\n".utf8))
  exit(2)
}
let storm = Storm(alive: alive)
// What happens once in a process is not the storm's.
storm.run(total: 1)
storm.forget()
let before = Usage()
storm.run(total: total)
let spent = Usage().since(before)
let counts = storm.counts
print(
  "{\"loops\":\(counts.loops),\"holds\":\(counts.holds),\"fires\":\(counts.fires),"
    + "\"wall_ns\":\(spent.wall),\"cpu_ns\":\(spent.cpu)}")
