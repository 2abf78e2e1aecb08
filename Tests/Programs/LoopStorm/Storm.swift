import CoreFoundation
import Foundation

/// Threads that come and go, each with a run loop of its own.
final class Storm: @unchecked Sendable {
  struct Counts {
    var loops = 0
    var holds = 0
    var fires = 0
  }

  private static let fires = 4
  private static let interval = 0.005
  /// Some work, so that a thread is not made for nothing: about half a millisecond on today's processors.
  private static let steps = 500_000
  private static let holdMicroseconds: UInt32 = 60_000

  private let room: DispatchSemaphore
  private let lock = NSLock()
  private let ended = DispatchSemaphore(value: 0)
  private var sums = Counts()

  init(alive: Int) { room = DispatchSemaphore(value: alive) }

  var counts: Counts { lock.withLock { sums } }

  func forget() { lock.withLock { sums = Counts() } }

  /// Runs `total` threads and returns when the last one is done.
  func run(total: Int) {
    for number in 0..<total {
      room.wait()
      let thread = Thread { [self] in
        add(runLoop(holding: number % 10 == 9))
        room.signal()
        ended.signal()
      }
      thread.stackSize = 256 * 1_024
      thread.start()
    }
    for _ in 0..<total { ended.wait() }
  }

  private func add(_ counts: Counts) {
    lock.withLock {
      sums.loops += counts.loops
      sums.holds += counts.holds
      sums.fires += counts.fires
    }
  }

  private func runLoop(holding: Bool) -> Counts {
    let loop = RunLoop.current
    let state = LoopState(loops: 1)
    loop.perform { state.performed = true }
    let timer = Timer(timeInterval: Self.interval, repeats: true) { timer in
      state.counts.fires += 1
      state.compute(steps: Self.steps)
      if holding, state.counts.fires == 2 {
        usleep(Self.holdMicroseconds)
        state.counts.holds += 1
      }
      if state.counts.fires == Self.fires { timer.invalidate() }
    }
    loop.add(timer, forMode: .default)
    while timer.isValid, loop.run(mode: .default, before: .distantFuture) {}
    return state.counts
  }
}

/// What one loop has done; used on its thread only.
private final class LoopState: @unchecked Sendable {
  var counts: Storm.Counts
  var performed = false

  private var number: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(loops: Int) { counts = Storm.Counts(loops: loops) }

  /// The same work each time, however fast the machine is.
  func compute(steps: Int) {
    for _ in 0..<steps {
      number ^= number << 13
      number ^= number >> 7
      number ^= number << 17
    }
  }
}
