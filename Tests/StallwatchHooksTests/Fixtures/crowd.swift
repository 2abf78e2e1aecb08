// Sixteen threads whose first runs come at the same moment.
import CoreFoundation
import Foundation

let gate = DispatchSemaphore(value: 0)
let done = DispatchGroup()
for _ in 0..<16 {
  done.enter()
  Thread.detachNewThread {
    RunLoop.current.add(
      Timer(timeInterval: 0.001, repeats: false) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }, forMode: .default)
    gate.wait()
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
    done.leave()
  }
}
Thread.sleep(forTimeInterval: 0.05)
for _ in 0..<16 { gate.signal() }
done.wait()
