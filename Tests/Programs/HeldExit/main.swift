// A program that is held once and then ends, for tools/judge/holds.
//
//   held-exit WAY SECONDS [outside]
//
// WAY is exit, _exit, return or abort. The hold is in the first callout of the main loop or, with `outside`, after a run of
// it; it then counts from when a timer comes due. Prints the hold as: held START END, in nanoseconds of the monotonic clock.

import CoreFoundation
import Foundation

func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func hold(_ seconds: Double, dueIn due: TimeInterval = 0) {
  let start = now() + UInt64(max(due, 0) * 1e9)
  if seconds > 0 { usleep(UInt32(seconds * 1e6)) }
  let line = "held \(start) \(now())\n"
  // Not by a buffer that only some ends write out.
  _ = write(STDOUT_FILENO, line, line.utf8.count)
}

func end(_ way: String) {
  switch way {
  case "exit": exit(0)
  case "_exit": _exit(0)
  case "abort": abort()
  default: break
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 2, ["exit", "_exit", "return", "abort"].contains(arguments[1]),
  let seconds = Double(arguments[2]), (0...60).contains(seconds)
else {
  FileHandle.standardError.write(Data("usage: held-exit exit|_exit|return|abort SECONDS [outside]\n".utf8))
  exit(2)
}
let way = arguments[1]
if arguments.count > 3 {
  // Due every 5 ms, and so while the thread is held elsewhere.
  let timer = Timer(timeInterval: 0.005, repeats: true) { _ in }
  RunLoop.main.add(timer, forMode: .default)
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2))
  hold(seconds, dueIn: timer.fireDate.timeIntervalSinceNow)
  end(way)
} else {
  let first = Timer(timeInterval: 0, repeats: false) { _ in
    hold(seconds)
    end(way)
    CFRunLoopStop(CFRunLoopGetMain())
  }
  RunLoop.main.add(first, forMode: .default)
  CFRunLoopRun()
}
