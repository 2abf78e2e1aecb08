// A program with an async main, whose main actor Dispatch serves on Linux, for tests of what `record` sees of it.
//
//   async-main held|items|chain|asleep
//
// held: a job holds the main actor for 150 ms, a block the main queue for 120 ms, a delayed block for 100 ms, a handler of a
//   source for 110 ms, a `sync` for 130 ms.
// items: work items that are cancelled, waited for and notified; groups; barriers; prints what came of them.
// chain: functions that await each other hold the main actor for 150 ms, in a task and then in one of a group.
// asleep: a function that others await, also in other tasks, sleeps on a thread of the pool until the program is killed.
// It prints `done`, and ends with 5.

import Dispatch
import Foundation

@MainActor final class Model {
  private(set) var changes = 0

  @inline(never)
  func rebuild() {
    usleep(150_000)
    changes += 1
  }

  func change() { changes += 1 }
}

@inline(never)
func holdMainQueue() { usleep(120_000) }

@inline(never)
func holdMainQueueLater() { usleep(100_000) }

@inline(never) @_optimize(none)
func holdMainQueueByTimer() { usleep(110_000) }

@inline(never) @_optimize(none)
func holdMainQueueInSync() { usleep(130_000) }

@main
struct AsyncMain {
  static func main() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "held": try await hold()
    case "items": await useItems()
    case "chain": await Dinner.hold()
    case "asleep": await Breakfast.hold()
    default:
      FileHandle.standardError.write(Data("usage: async-main held|items|chain|asleep\n".utf8))
      exit(2)
    }
    print("done")
    fflush(nil)
    exit(5)
  }

  @MainActor private static func hold() async throws {
    let model = Model()
    for _ in 0..<50 { await Task.detached { await model.change() }.value }
    try await Task.sleep(for: .milliseconds(100))
    await Task.detached { await model.rebuild() }.value
    await withCheckedContinuation { done in
      DispatchQueue.main.async {
        holdMainQueue()
        done.resume()
      }
    }
    await withCheckedContinuation { done in
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) {
        holdMainQueueLater()
        done.resume()
      }
    }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    await withCheckedContinuation { done in
      timer.setEventHandler {
        holdMainQueueByTimer()
        done.resume()
      }
      timer.schedule(deadline: .now() + 0.02)
      timer.activate()
    }
    timer.cancel()
    await withCheckedContinuation { done in
      Thread {
        usleep(20_000)
        DispatchQueue.main.sync { holdMainQueueInSync() }
        done.resume()
      }.start()
    }
    // At rest for as long as it takes the monitor to see it.
    try await Task.sleep(for: .milliseconds(100))
    print(model.changes)
  }

  private static func useItems() async {
    await useItems(on: DispatchQueue(label: "items", target: .global()))
    let main = DispatchQueue.main
    let log = await Task { @MainActor in Log() }.value
    let cancelled = DispatchWorkItem { MainActor.assumeIsolated { log.add("never") } }
    cancelled.cancel()
    main.async(execute: cancelled)
    let item = DispatchWorkItem { MainActor.assumeIsolated { log.add("item") } }
    await withCheckedContinuation { done in
      item.notify(queue: main) {
        MainActor.assumeIsolated { log.add("notified") }
        done.resume()
      }
      main.async(execute: item)
    }
    let group = DispatchGroup()
    main.async(group: group) { MainActor.assumeIsolated { log.add("grouped") } }
    main.async(group: group, qos: .userInitiated, flags: .barrier) { MainActor.assumeIsolated { log.add("barrier") } }
    await withCheckedContinuation { done in
      group.notify(queue: main) {
        MainActor.assumeIsolated { log.add("group over") }
        done.resume()
      }
    }
    for number in 0..<10_000 { main.async { MainActor.assumeIsolated { log.count(number) } } }
    await withCheckedContinuation { done in main.async { done.resume() } }
    dispatchPrecondition(condition: .notOnQueue(main))
    print(await log.text)
  }

  /// Work items of a serial queue: one that is cancelled before it runs, one while it waits, one that is waited for, one
  /// that is performed by hand, one with a quality of service; and delayed ones.
  private static func useItems(on queue: DispatchQueue) async {
    nonisolated(unsafe) var ran: [String] = []
    func item(_ name: String, flags: DispatchWorkItemFlags = []) -> DispatchWorkItem {
      DispatchWorkItem(qos: .userInitiated, flags: flags) { ran.append(name) }
    }
    let (cancelled, late, waited, performed) = (item("never"), item("never"), item("waited"), item("performed"))
    cancelled.cancel()
    queue.async(execute: cancelled)
    queue.suspend()
    queue.async(execute: late)
    late.cancel()
    queue.async(execute: waited)
    queue.resume()
    waited.wait()
    performed.perform()
    queue.async(qos: .background, flags: [.barrier, .enforceQoS]) { ran.append("barrier") }
    let delayed = item("delayed", flags: .detached)
    let stopped = item("never")
    queue.asyncAfter(deadline: .now() + 0.02, execute: stopped)
    queue.asyncAfter(deadline: .now() + 0.03, execute: delayed)
    stopped.cancel()
    await withCheckedContinuation { done in delayed.notify(queue: queue) { done.resume() } }
    print(ran.joined(separator: ", "), cancelled.isCancelled, late.isCancelled, waited.isCancelled)
  }

  /// What ran, in its order.
  @MainActor private final class Log {
    private var words: [String] = []
    private var next = 0
    private var isInOrder = true

    func add(_ word: String) { words.append(word) }
    func count(_ number: Int) {
      isInOrder = isInOrder && number == next
      next += 1
    }
    var text: String { words.joined(separator: ", ") + "; \(next) \(isInOrder ? "in order" : "mixed up")" }
  }
}
