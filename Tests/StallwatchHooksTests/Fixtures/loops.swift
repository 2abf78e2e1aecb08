// Runs loops in the ways that programs do, and prints what the hooks must report, in order.
import CoreFoundation
import Foundation

setvbuf(stdout, nil, Int32(_IONBF), 0)

/// A timer that ends the run it fires in.
func later(_ body: @escaping @Sendable () -> Void) -> Timer {
  Timer(timeInterval: 0.001, repeats: false) { _ in
    body()
    CFRunLoopStop(CFRunLoopGetCurrent())
  }
}

@discardableResult
func run(_ mode: String) -> Bool {
  print("run \(mode)")
  return RunLoop.current.run(mode: RunLoop.Mode(mode), before: Date(timeIntervalSinceNow: 10))
}

let defaultMode = "kCFRunLoopDefaultMode"

// Nested: a private mode that nobody has seen before, and the same mode again, from a timer of the default mode.
RunLoop.current.add(
  later {
    RunLoop.current.add(later { run(defaultMode) }, forMode: RunLoop.Mode("private"))
    RunLoop.current.add(later {}, forMode: .default)
    run("private")
  }, forMode: .default)
run(defaultMode)

// CoreFoundation's own doors.
RunLoop.current.add(later {}, forMode: .default)
print("run \(defaultMode)")
CFRunLoopRun()
RunLoop.current.add(later {}, forMode: .default)
print("run \(defaultMode)")
CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false)

// Another thread's loop.
let done = DispatchSemaphore(value: 0)
Thread.detachNewThread {
  RunLoop.current.add(later {}, forMode: RunLoop.Mode("worker"))
  run("worker")
  done.signal()
}
done.wait()

// An observer on the common modes, which is the default mode here.
let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, true, 0) { _, _ in }
print("observer \(defaultMode)")
print("observer kCFRunLoopCommonModes")
CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopCommonModes)
