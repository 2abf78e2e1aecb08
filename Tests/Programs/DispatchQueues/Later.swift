import CoreFoundation
import Dispatch
import Foundation

/// The part `later`.
extension DispatchQueues {
  static func comeLater() {
    let hour = DispatchTime.now() + 3_600
    let (timeouts, endless) = (DispatchQueue(label: "timeouts"), DispatchGroup())
    endless.enter()
    let item = DispatchWorkItem { exit(9) }
    for _ in 0..<20_000 {
      timeouts.asyncAfter(deadline: hour) { exit(9) }
      timeouts.asyncAfter(deadline: hour, execute: item)
      endless.notify(queue: timeouts) { exit(9) }
    }
    let (group, cancelled) = (DispatchGroup(), DispatchGroup())
    for number in 1...20_000 {
      cancelled.enter()
      let sleeper = Task.detached {
        try? await Task.sleep(for: .seconds(3_600))
        cancelled.leave()
      }
      Task.detached { sleeper.cancel() }
      // No more than there is room for wait at one time.
      if number % 1_000 == 0 { cancelled.wait() }
    }

    let came = Count()
    let later = DispatchQueue(label: "later")
    for number in 0..<100 {
      group.enter()
      let work = { @Sendable in
        dispatchPrecondition(condition: .onQueue(later))
        came.add()
        group.leave()
      }
      later.asyncAfter(deadline: .now() + .milliseconds(number % 5)) { work() }
      group.enter()
      later.asyncAfter(deadline: .now(), execute: DispatchWorkItem { work() })
      group.enter()
      Task.detached {
        try? await Task.sleep(for: .milliseconds(1))
        came.add()
        group.leave()
      }
    }
    let first = DispatchGroup()
    first.notify(queue: later) { came.add() }
    later.sync {}
    group.notify(queue: .main) {
      came.add()
      CFRunLoopStop(CFRunLoopGetMain())
    }
    CFRunLoopRun()
    print(came.count)
    delayItems()
  }

  private final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var count = 0
    func add() { lock.withLock { count += 1 } }
  }
}
