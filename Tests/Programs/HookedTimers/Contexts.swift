import CoreFoundation
import Foundation
import Synchronization

/// What a program gives a timer as its context, which counts how often it is held.
private final class Held: Sendable {
  let fired = Atomic<Int>(0)
  let retained = Atomic<Int>(0)
  let released = Atomic<Int>(0)
  var isBalanced: Bool {
    retained.load(ordering: .relaxed) > 0
      && retained.load(ordering: .relaxed) == released.load(ordering: .relaxed)
  }
}

private func held(_ info: UnsafeRawPointer?) -> Held { Unmanaged<Held>.fromOpaque(info!).takeUnretainedValue() }

/// A timer whose context is `held`, which must outlive it.
private func timer(_ object: Held, every interval: Double, callout: CFRunLoopTimerCallBack? = nil) -> CFRunLoopTimer {
  var context = CFRunLoopTimerContext()
  context.info = Unmanaged.passUnretained(object).toOpaque()
  context.retain = { info in
    held(info).retained.wrappingAdd(1, ordering: .relaxed)
    return info
  }
  context.release = { info in held(info).released.wrappingAdd(1, ordering: .relaxed) }
  context.copyDescription = { _ in
    Unmanaged.passRetained(CFStringCreateWithCString(nil, "a program's own", CFStringBuiltInEncodings.UTF8.rawValue))
  }
  let counting: CFRunLoopTimerCallBack = { _, info in held(info).fired.wrappingAdd(1, ordering: .relaxed) }
  return CFRunLoopTimerCreate(
    nil, CFAbsoluteTimeGetCurrent() + 0.001, interval, 0, 0, callout ?? counting, &context)
}

private func expect(_ condition: Bool, _ what: String) {
  if !condition { print("not so: \(what)") }
}

/// What programs do with timers, and what they must find as it is without hooks. Prints what is not so.
func contexts() {
  let kept = Held()
  let repeating = timer(kept, every: 0.002)
  var found = CFRunLoopTimerContext()
  CFRunLoopTimerGetContext(repeating, &found)
  expect(found.info == Unmanaged.passUnretained(kept).toOpaque(), "a timer's context is the program's")
  let description = String(describing: CFCopyDescription(repeating)!)
  expect(description.contains("a program's own"), "a timer is described by its own context: \(description)")
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), repeating, kCFRunLoopDefaultMode)
  run(for: 0.05)
  CFRunLoopTimerInvalidate(repeating)
  expect(kept.fired.load(ordering: .relaxed) > 1, "a timer fires with its own info")
  expect(kept.isBalanced, "a context is let go of as often as it was held")
  CFRunLoopTimerGetContext(repeating, &found)
  expect(found.info == nil, "an invalid timer has no info")

  let once = Held()
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer(once, every: 0), kCFRunLoopDefaultMode)
  run(for: 0.05)
  expect(once.fired.load(ordering: .relaxed) == 1 && once.isBalanced, "a one-shot fires once and lets go")

  let within = Held()
  let ending = timer(within, every: 0.002) { timer, info in
    held(info).fired.wrappingAdd(1, ordering: .relaxed)
    CFRunLoopTimerInvalidate(timer)
    expect(
      held(info).retained.load(ordering: .relaxed) > held(info).released.load(ordering: .relaxed),
      "a callout's context is held until it returns")
  }
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), ending, kCFRunLoopDefaultMode)
  run(for: 0.05)
  expect(within.fired.load(ordering: .relaxed) == 1 && within.isBalanced, "a timer may end in its own callout")

  let unfired = Held()
  do { _ = timer(unfired, every: 1) }
  expect(unfired.isBalanced, "a timer that is freed without having fired lets go")
  crowd()
}

/// Threads that make, run and end timers at the same time, some ended by another thread.
private func crowd() {
  let each = 300
  DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for round in 0..<each {
      let held = Held()
      nonisolated(unsafe) let timer = timer(held, every: 0.001)
      CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
      if round % 3 == 0 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.003, false) }
      if round % 2 == 0 {
        CFRunLoopTimerInvalidate(timer)
      } else {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          CFRunLoopTimerInvalidate(timer)
          done.signal()
        }
        done.wait()
      }
      expect(held.isBalanced, "a timer of many lets go")
    }
  }
}
