// A program whose threads do one kind of thing for some seconds, so that it can be stopped meanwhile, or must not be taken
// for one that was: stopped-loop KIND SECONDS
//
// It prints "ready" and its process id when it has begun. Nothing in it stops the process.

import Foundation
import Synchronization

func now() -> Double { ProcessInfo.processInfo.systemUptime }

func spin(for seconds: Double) {
  let end = now() + seconds
  while now() < end {}
}

/// Runs the main loop until `end`, with a callout every 20 ms.
func turn(until end: Double, _ callout: @escaping @Sendable () -> Void) {
  let timer = Timer(timeInterval: 0.02, repeats: true) { _ in callout() }
  RunLoop.main.add(timer, forMode: .default)
  RunLoop.main.run(until: Date(timeIntervalSinceNow: end - now()))
  timer.invalidate()
}

/// Runs the main loop with one callout.
func hold(_ callout: @escaping @Sendable () -> Void) {
  RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in callout() }, forMode: .default)
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
}

/// Threads that each live for a moment, 3,000 in all; some 50 at a time.
func storm(until end: Double) {
  let alive = Mutex(0)
  for _ in 0..<3_000 where now() < end {
    while alive.withLock({ $0 }) >= 50 { usleep(100) }
    alive.withLock { $0 += 1 }
    Thread.detachNewThread {
      spin(for: 0.0005)
      alive.withLock { $0 -= 1 }
    }
  }
}

/// Takes memory page by page and gives it back, in the way of every other thread's page faults; and copies itself, which
/// makes every page that is written a fault.
func fault(until end: Double) {
  let size = 64 << 20
  while now() < end {
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    for page in stride(from: 0, to: size, by: 4096) { memory.storeBytes(of: 1, toByteOffset: page, as: UInt8.self) }
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/true")
    try? child.run()
    child.waitUntilExit()
    munmap(memory, size)
  }
}

/// Reads a file by memory that is given back after each reading, together with what the system keeps of the file.
func readAgain(until end: Double) {
  let size = 32 << 20
  let path = NSTemporaryDirectory() + "stopped-loop-\(getpid())"
  let file = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
  guard file >= 0 else { return }
  unlink(path)
  let bytes = [UInt8](repeating: 1, count: size)
  guard write(file, bytes, size) == size, fsync(file) == 0 else { return }
  while now() < end {
    guard let memory = mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), memory != MAP_FAILED else { return }
    var sum = 0
    for page in stride(from: 0, to: size, by: 4096) { sum += Int(memory.load(fromByteOffset: page, as: UInt8.self)) }
    munmap(memory, size)
    #if os(Linux)
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    if sum != size / 4096 { return }
  }
}

guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[2]), seconds > 0, seconds <= 600
else {
  print("usage: stopped-loop spin|sleep|turn|wait|threads|storm|faults|disk SECONDS")
  exit(2)
}
let kind = CommandLine.arguments[1]
let end = now() + seconds
hold { FileHandle.standardOutput.write(Data("ready \(getpid())\n".utf8)) }
switch kind {
case "spin": hold { while now() < end {} }
case "sleep": hold { while now() < end { usleep(30_000) } }
case "turn": turn(until: end) { spin(for: 0.002) }
case "wait": RunLoop.main.run(until: Date(timeIntervalSinceNow: end - now()))
case "threads":
  for _ in 0..<8 { Thread.detachNewThread { while now() < end { spin(for: 0.01) } } }
  turn(until: end) { usleep(2_000) }
case "storm":
  Thread.detachNewThread { while now() < end { storm(until: end) } }
  turn(until: end) { usleep(2_000) }
case "faults":
  Thread.detachNewThread { fault(until: end) }
  turn(until: end) { _ = [UInt8](repeating: 1, count: 1 << 20) }
case "disk":
  Thread.detachNewThread { readAgain(until: end) }
  turn(until: end) { usleep(2_000) }
default:
  print("no such kind: \(kind)")
  exit(2)
}
