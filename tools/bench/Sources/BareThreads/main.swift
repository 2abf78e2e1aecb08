// The least that figures on disk cost: bare-threads SECONDS FILE. One thread wakes as often as the monitor hands on
// figures while loops turn, and wakes another, which writes a kilobyte. They measure nothing and know nothing. Prints
// one JSON object.

import Foundation
import StallwatchProbe
import Synchronization

func fail(_ words: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("bare-threads: \(words)\n".utf8))
  exit(status)
}

guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[1]), (0.1...3_600).contains(seconds)
else { fail("wants SECONDS, from 0.1 to 3600, and a FILE", status: 2) }
let descriptor = open(CommandLine.arguments[2], O_RDWR | O_CREAT | O_TRUNC, 0o600)
guard descriptor >= 0 else { fail("\(CommandLine.arguments[2]) cannot be written; choose another file", status: 3) }

/// What both threads share.
final class Work: Sendable {
  let due = DispatchSemaphore(value: 0)
  let finished = DispatchSemaphore(value: 0)
  let isOver = Atomic<Bool>(false)
  /// The CPU time of both, in nanoseconds.
  let cpu = Atomic<UInt64>(0)

  /// Runs `body` on a thread of its own, and adds what that took.
  func run(_ body: @escaping @Sendable () -> Void) {
    Thread {
      body()
      var cpu = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu)
      self.cpu.wrappingAdd(UInt64(cpu.tv_sec) * 1_000_000_000 + UInt64(cpu.tv_nsec), ordering: .relaxed)
      self.finished.signal()
    }.start()
  }
}

let work = Work()
let interval = ProbeConfiguration().flushInterval
let count = Int(seconds * 1e9 / Double(interval))
let began = Probe.now()
work.run { [descriptor] in
  let bytes = [UInt8](repeating: 1, count: 1_024)
  while true {
    work.due.wait()
    if work.isOver.load(ordering: .acquiring) { return }
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { fail("a write failed", status: 3) }
  }
}
work.run { [interval, count, began] in
  for number in 1...count {
    let next = began + UInt64(number) * interval
    usleep(UInt32((max(next, Probe.now()) - Probe.now()) / 1_000))
    work.due.signal()
  }
  work.isOver.store(true, ordering: .releasing)
  work.due.signal()
}
for _ in 0..<2 { work.finished.wait() }
let cpu = work.cpu.load(ordering: .relaxed)
let facts: [String: Any] = [
  "seconds": Double(Probe.now() - began) / 1e9, "wakeups": count, "cpu_ns": cpu,
  "cpu_share": Double(cpu) / Double(Probe.now() - began),
]
print(String(decoding: try JSONSerialization.data(withJSONObject: facts, options: [.sortedKeys]), as: UTF8.self))
