import CoreFoundation
import Foundation
import Stallwatch
import Synchronization

/// A thread whose run loop turns by a timer, is held now and then, and has timers that come and go.
///
/// The timers are CoreFoundation's: 330 bytes of every `Timer` of Foundation's stay for good.
final class SoakLoop: @unchecked Sendable {
  private let name: String
  private let monitor: Monitor
  private var loop: CFRunLoop!
  private var timersNamed = 0
  private static let made = Atomic<Int>(0)
  private static let ended = Atomic<Int>(0)

  /// All timers of all loops so far.
  static var timersMade: Int { made.load(ordering: .relaxed) }
  static var timersEnded: Int { ended.load(ordering: .relaxed) }

  /// Starts the thread, and returns when its loop is watched.
  init(_ number: Int, _ monitor: Monitor) {
    (name, self.monitor) = ("loop \(number)", monitor)
    let isWatched = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      loop = CFRunLoopGetCurrent()
      check(monitor.watchCurrentLoop(name: name), name)
      // Turns of all loops at one moment would be a load of their own.
      let turn = Self.timer(after: 0.01 * Double(number), every: Self.turnEvery) { _ in }
      CFRunLoopAddTimer(loop, turn, kCFRunLoopDefaultMode)
      isWatched.signal()
      CFRunLoopRun()
    }
    thread.stackSize = 256 * 1_024
    thread.start()
    isWatched.wait()
  }

  /// Holds the loop soon, and tells when that was.
  func hold(_ hold: SoakPlan.Hold, then report: @escaping @Sendable (_ beganNs: UInt64, _ endedNs: UInt64) -> Void) {
    perform {
      let began = Self.now()
      if hold.computes {
        while Self.now() < began + hold.length {}
      } else {
        usleep(UInt32(hold.length / 1_000))
      }
      report(began, Self.now())
    }
  }

  /// Gives the loop a timer with a ledger that fires three times.
  func addTimer() {
    perform { [self] in
      var firesLeft = 3
      let timer = Self.timer(after: 0.05, every: 0.05) { timer in
        firesLeft -= 1
        guard firesLeft == 0 else { return }
        CFRunLoopTimerInvalidate(timer)
        Self.ended.wrappingAdd(1, ordering: .relaxed)
      }
      CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
      timersNamed += 1
      check(monitor.watch(timer, name: "timer \(timersNamed % Self.timerNames)"), "a timer of \(name)")
      Self.made.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// Without a monitor, by STALLWATCH_DISABLE, the program does the same, to compare with.
  private func check(_ refusal: WatchRefusal?, _ what: String) {
    if let refusal, monitor.store != nil { fatalError("\(what) is not watched: \(refusal)") }
  }

  /// The monotonic clock, which the store's moments are on.
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private func perform(_ work: @escaping () -> Void) {
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, work)
    CFRunLoopWakeUp(loop)
  }

  private static func timer(
    after delay: Double, every interval: Double, _ body: @escaping (CFRunLoopTimer?) -> Void
  ) -> CFRunLoopTimer {
    CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, body)
  }

  /// Seconds. A loop that works a little, as most do.
  private static let turnEvery = 1.0
  /// Names that timers of a loop have in turn: programs name kinds of timers.
  private static let timerNames = 10
}
