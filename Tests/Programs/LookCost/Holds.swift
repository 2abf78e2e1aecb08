import Foundation
import StallwatchProbe

#if os(Linux)
  /// A way in which a thread is held.
  struct Hold: Sendable {
    /// What its thread does between two looks.
    enum Way: CaseIterable {
      case stays, moves, runs
    }

    let name: String
    let way: Way
    /// Holds the calling thread until a moment on the monotonic clock.
    let body: @Sendable (UInt64) -> Void

    /// The holds that are measured.
    static func all() -> [Hold] {
      [
        Hold(name: "usleep, 1 ms again and again", way: .moves) { end in
          while OwnThreads.now() < end { usleep(1_000) }
        },
        Hold(name: "poll, 1 ms again and again", way: .moves) { end in
          while OwnThreads.now() < end { poll(nil, 0, 1) }
        },
        Hold(name: "usleep, once", way: .stays) { end in
          usleep(UInt32((end - min(end, OwnThreads.now())) / 1_000))
        },
        Hold(name: "read of a pipe", way: .stays) { end in
          var ends: [Int32] = [0, 0]
          pipe(&ends)
          wake(at: end) { [ends] in write(ends[1], [0], 1) }
          var byte: UInt8 = 0
          read(ends[0], &byte, 1)
          ends.forEach { close($0) }
        },
        Hold(name: "a mutex that another thread holds", way: .stays) { end in
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
        Hold(name: "a condition", way: .stays) { end in
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
        Hold(name: "computes in one function", way: .runs) { end in
          while OwnThreads.now() < end { _ = Computing.rounds(10_000) }
        },
        Hold(name: "computes here and there", way: .runs) { end in
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
