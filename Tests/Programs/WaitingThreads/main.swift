// A program whose threads wait for each other, for tests of `dump`.
//
//   waiting-threads KIND
//
// KIND is locks (two threads with two NSLocks), mutex (main waits for a Mutex of a thread that sleeps), own (a lock taken
// twice), queues (two queues that wait for each other), join (main waits for a thread that sleeps), socket (main waits for
// a connection that says nothing), alike (eight threads that wait at one place), busy (main computes), unserved (main waits
// for work that it has enqueued to the main queue), or loop (main runs a run loop, which does such work). Prints its own
// process number once every thread is about to wait; it ends when its stdin does.

import CLinuxCalls
import Dispatch
import Foundation
import Synchronization

let kinds = ["locks", "mutex", "own", "queues", "join", "socket", "alike", "busy", "unserved", "loop"]
guard CommandLine.arguments.count == 2, let kind = CommandLine.arguments.last, kinds.contains(kind) else {
  FileHandle.standardError.write(Data("usage: waiting-threads \(kinds.joined(separator: "|"))\n".utf8))
  exit(2)
}

func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread {
    // Foundation names a thread for the system only from within, and not always when it has just begun.
    name_this_thread(name)
    body()
  }
  thread.start()
}

func announce() {
  // Not by a buffer that only the end writes out.
  let line = "\(getpid())\n"
  _ = write(STDOUT_FILENO, line, line.utf8.count)
}

/// Two things of which each thread takes one and then wants the other.
final class Crossing: Sendable {
  let (first, second) = (NSLock(), NSLock())
  let mutex = Mutex(0)
  let (firstQueue, secondQueue) = (DispatchQueue(label: "test.first"), DispatchQueue(label: "test.second"))
  let bothHold = DispatchGroup()

  init() { for _ in 0..<2 { bothHold.enter() } }

  func meet() {
    bothHold.leave()
    bothHold.wait()
  }

  @inline(never)
  func takeFirstThenSecond() {
    first.withLock {
      meet(); announce(); second.withLock { print("never") }
    }
  }
  @inline(never)
  func takeSecondThenFirst() {
    second.withLock {
      meet(); first.withLock { print("never") }
    }
  }
  @inline(never)
  func waitForMutex() { meet(); announce(); mutex.withLock { _ in print("never") } }
  @inline(never)
  func holdMutex() {
    mutex.withLock { _ in
      meet(); sleep(1_000)
    }
  }
  @inline(never)
  func queueFirstThenSecond() {
    firstQueue.sync {
      meet(); announce(); secondQueue.sync { print("never") }
    }
  }
  @inline(never)
  func queueSecondThenFirst() {
    secondQueue.sync {
      meet(); firstQueue.sync { print("never") }
    }
  }
  @inline(never)
  func takeTwice() { first.lock(); announce(); first.lock() }
  @inline(never)
  func waitAtOnePlace() { meet(); first.withLock { print("never") } }
}

@inline(never)
func compute() -> Never {
  announce()
  var value: UInt64 = 1
  while true { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407; if value == 0 { print(value) } }
}

@inline(never)
func waitForConnection() {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      guard bind(listener, $0, length) == 0, listen(listener, 1) == 0, getsockname(listener, $0, &length) == 0 else {
        exit(3)
      }
      let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard connect(connection, $0, length) == 0 else { exit(3) }
      announce()
      var byte: UInt8 = 0
      _ = read(connection, &byte, 1)
    }
  }
}

// Whoever started this program and died leaves no process behind.
start("stdin") {
  while getchar() != EOF {}
  exit(0)
}

@inline(never) @_optimize(none)
func waitForMainQueue() {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { done.signal() }
  announce()
  done.wait()
}

/// Holds the main queue from its first block on, while another one waits.
@inline(never) @_optimize(none)
func serveMainQueue() {
  DispatchQueue.main.async {
    announce()
    sleep(1_000)
  }
  DispatchQueue.main.async {}
  RunLoop.main.run()
}

let crossing = Crossing()
switch kind {
case "locks":
  start("other") { crossing.takeSecondThenFirst() }
  crossing.takeFirstThenSecond()
case "mutex":
  start("other") { crossing.holdMutex() }
  crossing.waitForMutex()
case "own": crossing.takeTwice()
case "unserved": waitForMainQueue()
case "loop": serveMainQueue()
case "queues":
  start("other") { crossing.queueSecondThenFirst() }
  crossing.queueFirstThenSecond()
case "join":
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      sleep(1_000); return nil
    }, nil)
  announce()
  pthread_join(thread, nil)
case "socket": waitForConnection()
case "alike":
  crossing.first.lock()
  crossing.bothHold.leave()
  crossing.bothHold.leave()
  for _ in 0..<7 { crossing.bothHold.enter() }
  for _ in 0..<7 { Thread { crossing.waitAtOnePlace() }.start() }
  crossing.bothHold.wait()
  announce()
  sleep(1_000)
default: compute()
}
