// A program that serves work on Dispatch's queues and on Swift's pool, for tests of what `record` sees of them.
//
//   dispatch-queues delays|waiters|items|syncs|sources|hidden|pool|harmless|later|many
//
// delays: an item of the queue `images` waits for 180 ms behind `resizeImage()`.
// waiters: a block waits for `resizeImage()`, and the function `drawFunction` for `computeInSync()`.
// items: in the concurrent queue `wide`, a work item waits for 180 ms behind `writeAlone()`, which is a barrier; then work
//   items of which some are barriers enter one room. Prints how often barriers met others there.
// syncs: `waitForTurn()` waits by `sync` for `resizeImage()`; an item waits for `computeInSync()`, which a barrier runs by
//   `sync`; and `readLate()` waits for a result by `sync` while the queue `inner` waits for `sortBeforeOthers()` of another
//   queue with the same target. Then as many uses of `sync` as a lock, whose sum it prints.
// sources: an item waits for 180 ms behind `handleTimer()`, which a source of `sourced` calls. Then sources whose handlers are
//   replaced, cancelled, work items or functions; prints what they called, and how many of their objects are left.
// hidden: an item waits for 180 ms behind what no hook shows: another queue's work.
// pool: jobs fill Swift's pool for 400 ms, in `readSlowly()` and `waitForServer()`, while another one waits.
// harmless: what is no delay: a long item that nobody waits for, a suspended queue, delayed work, and as many items as
//   processors.
// later: as many timeouts as a loaded server keeps, of which none comes: tasks, blocks and functions whose time is in
// an hour,
//   and what is to follow a group that does not end. Then work that does come later, on a serial queue, the main queue
// and the
//   pool, of which it prints how much came; and an item of `images` waits for 180 ms behind `resizeImage()`.
// many: 300,000 items on four queues and as many jobs; prints their sum.
// It prints `done`, and ends with 5.

import Dispatch
import Foundation

@inline(never) func resizeImage() { usleep(200_000) }
@inline(never) @_optimize(none) func computeInSync() { usleep(200_001) }
@inline(never) @_optimize(none) func handleTimer() { usleep(200_002) }
@inline(never) @_optimize(none) func sortBeforeOthers() { usleep(200_003) }
@inline(never) @_optimize(none) func writeAlone() { usleep(200_004) }
@inline(never) func readSlowly() { usleep(400_000) }
@inline(never) func waitForServer() { usleep(400_000) }
@inline(never) func compressAlone() { usleep(300_000) }

@inline(never) @_optimize(none) func drawBlock() { usleep(1_000) }
func drawFunction(_: UnsafeMutableRawPointer?) { usleep(1_001) }
/// Enqueues a function by one of Dispatch's that its module hides from Swift. There a queue is an object around the queue of
/// C, which follows its header.
func enqueue(
  _ work: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void, to queue: DispatchQueue,
  by name: String = "dispatch_async_f"
) {
  typealias Work = @convention(c) (UnsafeMutableRawPointer?) -> Void
  typealias Enqueue = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Work) -> Void
  let enqueue = unsafeBitCast(dlsym(nil, name), to: Enqueue.self)
  let wrapper = Unmanaged.passUnretained(queue).toOpaque()
  enqueue(wrapper.load(fromByteOffset: 16, as: UnsafeMutableRawPointer.self), nil, work)
}

@main
struct DispatchQueues {
  static func main() {
    // The monitor comes with the first item.
    let first = DispatchQueue(label: "first")
    first.async {}
    first.sync {}
    switch CommandLine.arguments.dropFirst().first {
    case "delays": delayItems()
    case "waiters": keepWaiting()
    case "items": enqueueItems()
    case "syncs": waitInSync()
    case "sources": handleEvents()
    case "hidden": hideWork()
    case "pool": fillPool()
    case "harmless": doNoHarm()
    case "later": comeLater()
    case "many": serveMany()
    default:
      let parts = "delays|waiters|items|syncs|sources|hidden|pool|harmless|later|many"
      FileHandle.standardError.write(Data("usage: dispatch-queues \(parts)\n".utf8))
      exit(2)
    }
    print("done")
    fflush(nil)
    exit(5)
  }

  static func delayItems() {
    let images = DispatchQueue(label: "images")
    let group = DispatchGroup()
    images.async(group: group) { resizeImage() }
    usleep(20_000)
    let item = DispatchWorkItem {}
    images.async(group: group, execute: item)
    group.wait()
  }

  private static func keepWaiting() {
    let (blocks, functions) = (DispatchQueue(label: "blocks"), DispatchQueue(label: "functions"))
    let group = DispatchGroup()
    blocks.async(group: group) { resizeImage() }
    functions.async(group: group) { computeInSync() }
    usleep(20_000)
    blocks.async(group: group) { drawBlock() }
    enqueue(drawFunction, to: functions)
    group.wait()
    functions.sync {}
  }

  private static func enqueueItems() {
    let wide = DispatchQueue(label: "wide", attributes: .concurrent)
    wide.async(execute: DispatchWorkItem(flags: .barrier) { writeAlone() })
    usleep(20_000)
    let late = DispatchWorkItem { drawBlock() }
    wide.async(execute: late)
    late.wait()

    let (room, group) = (Room(), DispatchGroup())
    for number in 0..<400 {
      if number % 4 == 0 {
        wide.async(execute: DispatchWorkItem(flags: .barrier) { room.enter(alone: true) })
        wide.async(group: group, execute: DispatchWorkItem(flags: .barrier) { room.enter(alone: true) })
      } else {
        wide.async(group: group, execute: DispatchWorkItem { room.enter(alone: false) })
      }
    }
    wide.sync(flags: .barrier) {}
    let (cancelled, direct) = (DispatchWorkItem { exit(9) }, DispatchWorkItem { room.enter(alone: false) })
    cancelled.cancel()
    wide.sync(execute: cancelled)
    wide.sync(execute: direct)
    direct.wait()
    let ends = DispatchQueue(label: "ends")
    group.notify(queue: ends) { room.leave() }
    room.waitForEnd()
    late.notify(queue: ends) { room.leave() }
    room.waitForEnd()
    ends.sync {}
    print(room.meetings, "of", room.visits)
  }

  /// Who enters alone must meet nobody.
  private final class Room: @unchecked Sendable {
    private let lock = NSLock()
    private let end = DispatchSemaphore(value: 0)
    private var (inside, alone) = (0, 0)
    private(set) var (visits, meetings) = (0, 0)

    func leave() { end.signal() }
    func waitForEnd() { end.wait() }

    func enter(alone isAlone: Bool) {
      lock.withLock {
        if isAlone ? inside > 0 : alone > 0 { meetings += 1 }
        visits += 1
        inside += 1
        alone += isAlone ? 1 : 0
      }
      usleep(50)
      lock.withLock {
        inside -= 1
        alone -= isAlone ? 1 : 0
      }
    }
  }

  private static func waitInSync() {
    let group = DispatchGroup()
    let images = DispatchQueue(label: "images")
    images.async(group: group) { resizeImage() }
    usleep(20_000)
    waitForTurn(in: images)

    let synced = DispatchQueue(label: "synced", attributes: .concurrent)
    Thread { synced.sync(flags: .barrier) { computeInSync() } }.start()
    usleep(20_000)
    synced.async(group: group) {}
    group.wait()

    let target = DispatchQueue(label: "target")
    let (outer, inner) = (DispatchQueue(label: "outer", target: target), DispatchQueue(label: "inner", target: target))
    outer.async { sortBeforeOthers() }
    usleep(20_000)
    let late = readLate(in: inner)

    let asked = DispatchQueue(label: "asked")
    for name in ["sync", "barrier_sync", "async_and_wait", "barrier_async_and_wait"] {
      enqueue(drawFunction, to: asked, by: "dispatch_\(name)_f")
    }

    let lock = DispatchQueue(label: "lock")
    nonisolated(unsafe) var sum = 0
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      for turn in 0..<25_000 { lock.sync { sum += target.sync { turn + number } } }
    }
    print(late, sum)
  }

  @inline(never) @_optimize(none) private static func waitForTurn(in queue: DispatchQueue) { queue.sync {} }
  @inline(never) @_optimize(none) private static func readLate(in queue: DispatchQueue) -> Int {
    let late = queue.sync { 42 }
    return late
  }

  private static func handleEvents() {
    let group = DispatchGroup()
    let sourced = DispatchQueue(label: "sourced")
    let source = DispatchSource.makeTimerSource(queue: sourced)
    source.setEventHandler { handleTimer() }
    source.schedule(deadline: .now())
    source.activate()
    usleep(20_000)
    sourced.async(group: group) {}
    group.wait()
    source.cancel()

    let log = Log()
    let events = DispatchQueue(label: "events")
    let added = DispatchSource.makeUserDataAddSource(queue: events)
    func add(_ data: UInt) {
      added.add(data: data)
      log.waitForMore()
    }
    do {
      let (first, second) = (Token(log), Token(log))
      added.setEventHandler {
        first.log.add("first \(added.data)")
        added.setEventHandler { second.log.add("second \(added.data)") }
        first.log.add("still first")
      }
    }
    added.activate()
    add(1)
    log.waitForMore()
    add(2)
    let item = DispatchWorkItem { log.add("item") }
    added.setEventHandler(handler: item)
    add(3)
    added.setEventHandler(qos: .userInitiated) { log.add("with quality") }
    add(4)
    added.setEventHandler(handler: nil)
    added.add(data: 5)
    events.sync {}
    added.setEventHandler {
      dispatchPrecondition(condition: .onQueue(events))
      log.add("last")
      added.cancel()
    }
    added.setCancelHandler { log.add("cancelled") }
    add(6)
    log.waitForMore()
    let waits = DispatchSemaphore(value: 0)
    // By a function, with the source's context: Swift's runtime waits so for a time that may come late.
    Task.detached {
      try? await Task.sleep(for: .milliseconds(5), tolerance: .milliseconds(1))
      waits.signal()
    }
    waits.wait()
    events.sync {}
    print(log.text, Token.left)
  }

  /// What was called, in its order.
  private final class Log: @unchecked Sendable {
    private let (lock, more) = (NSLock(), DispatchSemaphore(value: 0))
    private var words: [String] = []
    func add(_ word: String) {
      lock.withLock { words.append(word) }
      more.signal()
    }
    func waitForMore() { more.wait() }
    var text: String { lock.withLock { words.joined(separator: ", ") } }
  }

  /// Counts how many of its kind are left.
  private final class Token: @unchecked Sendable {
    private static let count = NSLock()
    nonisolated(unsafe) private static var alive = 0
    static var left: Int { count.withLock { alive } }
    let log: Log
    init(_ log: Log) {
      self.log = log
      Self.count.withLock { Self.alive += 1 }
    }
    deinit { Self.count.withLock { Self.alive -= 1 } }
  }

  private static func hideWork() {
    let group = DispatchGroup()
    let target = DispatchQueue(label: "target")
    let (one, other) = (DispatchQueue(label: "one", target: target), DispatchQueue(label: "other", target: target))
    one.async(group: group) { sortBeforeOthers() }
    usleep(20_000)
    other.async(group: group) {}
    group.wait()
  }

  private static func fillPool() {
    let group = DispatchGroup()
    func detach(_ body: @escaping @Sendable () -> Void) {
      group.enter()
      Task.detached {
        body()
        group.leave()
      }
    }
    for number in 0..<ProcessInfo.processInfo.activeProcessorCount {
      detach { number % 2 == 0 ? readSlowly() : waitForServer() }
    }
    usleep(20_000)
    detach {}
    group.wait()
  }

  private static func doNoHarm() {
    let group = DispatchGroup()
    let alone = DispatchQueue(label: "alone")
    alone.async(group: group) { compressAlone() }
    let suspended = DispatchQueue(label: "suspended")
    suspended.async(group: group) {}
    suspended.sync {}
    suspended.suspend()
    for _ in 0..<3 { suspended.async(group: group) {} }
    usleep(250_000)
    suspended.resume()
    group.enter()
    DispatchQueue(label: "later").asyncAfter(deadline: .now() + 0.25) { group.leave() }
    // More than there is room for, which nobody may wait for.
    for _ in 0..<20_000 { alone.asyncAfter(deadline: .distantFuture) { exit(9) } }
    let wide = DispatchQueue(label: "wide", attributes: .concurrent)
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { wide.async(group: group) { usleep(150_000) } }
    group.wait()
  }

  private static func serveMany() {
    let queues = (0..<4).map { DispatchQueue(label: "many \($0)") }
    let sums = Sums()
    let group = DispatchGroup()
    for number in 0..<300_000 { queues[number % 4].async(group: group) { sums.add(number, to: number % 4) } }
    for number in 0..<300_000 {
      group.enter()
      Task.detached {
        await sums.jobs.add(number)
        group.leave()
      }
    }
    group.wait()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      print(sums.queues.reduce(0, +), await sums.jobs.sum)
      done.signal()
    }
    done.wait()
  }

  /// Each queue has its own sum.
  private final class Sums: @unchecked Sendable {
    private(set) var queues = [0, 0, 0, 0]
    let jobs = Jobs()
    private let lock = NSLock()
    func add(_ number: Int, to queue: Int) { lock.withLock { queues[queue] += number } }
  }

  private actor Jobs {
    private(set) var sum = 0
    func add(_ number: Int) { sum += number }
  }
}
