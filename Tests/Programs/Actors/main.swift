// A program of actors, for tests of what `record` sees of them.
//
//   actors delays|harmless|names|hops|storm|crowd
//
// delays: a call of the actor `Cache` waits for 180 ms behind `rebuildIndex()`, and one of the generic actor `Shelf.Box`
//   behind `sortBox()`, which began there when another call had just ended.
// harmless: what is no delay: an actor that awaits, a long call that nobody waits for, one that is called by itself.
// names: actors of classes that are private, in an extension, in a function, and of a custom executor.
// hops: two actors call each other 20,000 times, with a task-local value, priorities and a cancelled task; prints what they
//   see of these.
// storm: 60,000 tasks call four actors; prints their sum.
// crowd: the actor `Crowded` is to be served while 20,000 items wait, and its last task when they are over; then it is idle
//   for a second.
// It prints `done`, and ends with 5.

import Dispatch
import Foundation

@inline(never) @_optimize(none) func rebuildIndex() { usleep(200_000) }
@inline(never) @_optimize(none) func sortBox() { usleep(200_001) }
@inline(never) @_optimize(none) func compressAlone() { usleep(200_002) }

actor Cache {
  private(set) var lookups = 0
  func rebuild() { rebuildIndex() }
  func lookUp() { lookups += 1 }
  func waitForOthers() async {
    try? await Task.sleep(for: .milliseconds(200))
    lookups += 1
  }
  func compress() async {
    await Self.shared(self)
    compressAlone()
  }
  private static func shared(_ cache: isolated Cache) async { cache.lookUp() }
}

enum Shelf {
  actor Box<Content: Sendable> {
    private var contents: [Content] = []
    func put(_ content: Content) { contents.append(content) }
    func sort() { sortBox() }
  }
}

actor Player {
  @TaskLocal static var round = 0
  private(set) var seen = 0
  func play(with other: Player, _ turns: Int) async -> Int {
    for _ in 0..<turns { seen &+= await other.take(seen) }
    return seen
  }
  func take(_ ball: Int) -> Int {
    seen &+= Self.round + (Task.isCancelled ? 1_000 : 0)
    return (ball &* 31 &+ Int(Task.basePriority?.rawValue ?? 0)) % 1_000
  }
}

actor Counter {
  private(set) var sum = 0
  func add(_ number: Int) { sum += number }
}

func delay() async {
  let cache = Cache()
  let held = Task.detached { await cache.rebuild() }
  try? await Task.sleep(for: .milliseconds(20))
  await Task.detached { await cache.lookUp() }.value
  await held.value
  let box = Shelf.Box<String>()
  await box.put("first")
  let sorted = Task.detached {
    await box.put("second")
    await box.sort()
  }
  try? await Task.sleep(for: .milliseconds(20))
  await withTaskGroup { group in
    for number in 0..<3 { group.addTask { await box.put("\(number)") } }
  }
  await sorted.value
}

func doNoHarm() async {
  let cache = Cache()
  async let waiting: Void = cache.waitForOthers()
  for _ in 0..<10 {
    await cache.lookUp()
    try? await Task.sleep(for: .milliseconds(10))
  }
  await waiting
  await cache.compress()
}

extension Shelf {
  private actor Drawer {
    func open() {}
  }
  static func openDrawer() async { await Drawer().open() }
}

private actor Purse {
  func pay() {}
}

final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "clerk")
  func enqueue(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// A queue serves it, and not the runtime.
actor Clerk {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func sign() {}
}

func name() async {
  actor Guest {
    func greet() {}
  }
  await Shelf.openDrawer()
  await Purse().pay()
  await Guest().greet()
  await Clerk().sign()
}

func hop() async {
  let (one, other) = (Player(), Player())
  let result = await Player.$round.withValue(7) { await one.play(with: other, 5_000) }
  let task = Task.detached(priority: .low) {
    withUnsafeCurrentTask { $0?.cancel() }
    return await other.play(with: one, 5_000)
  }
  print(result, await task.value, await one.seen, await other.seen)
}

func storm() async {
  let counters = (0..<4).map { _ in Counter() }
  await withTaskGroup { group in
    for number in 0..<60_000 { group.addTask { await counters[number % 4].add(number) } }
  }
  var sum = 0
  for counter in counters { sum += await counter.sum }
  print(sum)
}

actor Crowded {
  /// Has one thread serve two tasks, of which the first waits for `isOver`.
  func begin(_ isOver: DispatchSemaphore, _ done: DispatchSemaphore) {
    Task { self.wait(for: isOver) }
    Task { self.finish(done) }
  }
  private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
  private func finish(_ done: DispatchSemaphore) { done.signal() }
}

func crowd() async {
  let (queue, crowded) = (DispatchQueue(label: "crowd"), Crowded())
  let (isOver, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  queue.suspend()
  for _ in 0..<20_000 { queue.async {} }
  await crowded.begin(isOver, done)
  queue.resume()
  endCrowd(queue, isOver, done)
}

/// Not within a task, which may not wait so.
func endCrowd(_ queue: DispatchQueue, _ isOver: DispatchSemaphore, _ done: DispatchSemaphore) {
  queue.sync {}
  isOver.signal()
  done.wait()
  usleep(1_000_000)
}

// The monitor comes with the first item.
let first = DispatchQueue(label: "first")
first.async {}
first.sync {}
switch CommandLine.arguments.dropFirst().first {
case "delays": await delay()
case "harmless": await doNoHarm()
case "names": await name()
case "hops": await hop()
case "storm": await storm()
case "crowd": await crowd()
default:
  FileHandle.standardError.write(Data("usage: actors delays|harmless|names|hops|storm|crowd\n".utf8))
  exit(2)
}
print("done")
fflush(nil)
exit(5)
