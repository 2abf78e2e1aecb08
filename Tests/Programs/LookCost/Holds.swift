import Foundation
import StallwatchProbe

#if os(Linux)
  /// A way in which a thread is held.
  struct Hold: Sendable {
    let name: String
    let isRunning: Bool
    /// Holds the calling thread until a moment on the monotonic clock.
    let body: @Sendable (UInt64) -> Void

    /// The ways that are measured. A thread that sleeps or polls again and again moves between two looks; the others
    /// stay where they are.
    static func all() -> [Hold] {
      [
        Hold(name: "usleep, 1 ms again and again", isRunning: false) { end in
          while OwnThreads.now() < end { usleep(1_000) }
        },
        Hold(name: "poll, 1 ms again and again", isRunning: false) { end in
          while OwnThreads.now() < end { poll(nil, 0, 1) }
        },
        Hold(name: "usleep, once", isRunning: false) { end in
          usleep(UInt32((end - min(end, OwnThreads.now())) / 1_000))
        },
        Hold(name: "read of a pipe", isRunning: false) { end in
          var ends: [Int32] = [0, 0]
          pipe(&ends)
          wake(at: end) { [ends] in write(ends[1], [0], 1) }
          var byte: UInt8 = 0
          read(ends[0], &byte, 1)
          ends.forEach { close($0) }
        },
        Hold(name: "a mutex that another thread holds", isRunning: false) { end in
          let lock = NSLock()
          let isHeld = DispatchSemaphore(value: 0)
          Thread {
            lock.lock()
            isHeld.signal()
            usleep(UInt32((end - min(end, OwnThreads.now())) / 1_000))
            lock.unlock()
          }.start()
          isHeld.wait()
          lock.lock()
          lock.unlock()
        },
        Hold(name: "a condition", isRunning: false) { end in
          let condition = NSCondition()
          wake(at: end) {
            condition.lock()
            condition.broadcast()
            condition.unlock()
          }
          condition.lock()
          while OwnThreads.now() < end { condition.wait() }
          condition.unlock()
        },
        Hold(name: "computes in one function", isRunning: true) { end in
          while OwnThreads.now() < end { _ = Computing.rounds(10_000) }
        },
        Hold(name: "computes here and there", isRunning: true) { end in
          var depth = 0
          while OwnThreads.now() < end {
            depth = (depth + 1) % 8
            _ = Computing.rounds(2_000_000, below: depth)
          }
        },
      ]
    }

    private static func wake(at moment: UInt64, _ body: @escaping @Sendable () -> Void) {
      Thread {
        usleep(UInt32((moment - min(moment, OwnThreads.now())) / 1_000) + 1_000)
        body()
      }.start()
    }
  }

  private enum Computing {
    @inline(never) static func rounds(_ count: UInt64) -> UInt64 {
      var value: UInt64 = 1
      for place in 0..<count { value = value &* 6_364_136_223_846_793_005 &+ place }
      return value
    }

    /// Computes at the bottom of so many calls.
    @inline(never) static func rounds(_ count: UInt64, below depth: Int) -> UInt64 {
      depth == 0 ? rounds(count) : rounds(count, below: depth - 1) &+ 1
    }
  }
#endif
