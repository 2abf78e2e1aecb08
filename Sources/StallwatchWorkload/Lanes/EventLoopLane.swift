import Foundation
import Synchronization

#if os(Linux)
  import CLinuxCalls
#endif

/// A thread that serves items one after the other and waits for descriptors between them, as SwiftNIO's do.
final class EventLoopLane: Sendable {
  private struct State {
    var items: [@Sendable () -> Void] = []
    var isOver = false
  }
  private let state = Mutex(State())
  /// A byte comes out of the one for each item that goes into the other.
  private let (waking, woken): (Int32, Int32)

  init(_ name: String) {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no descriptors left")
    (woken, waking) = (ends[0], ends[1])
    let thread = Thread { [self] in
      nameThread(name)
      serve()
    }
    thread.start()
  }

  /// Has the loop serve an item. The semaphore is signalled after it.
  func serve(_ item: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    state.withLock {
      $0.items.append {
        item()
        done.signal()
      }
    }
    wake()
    return done
  }

  /// Has the thread end.
  func end() {
    state.withLock { $0.isOver = true }
    wake()
  }

  private func wake() {
    var byte: UInt8 = 1
    _ = write(waking, &byte, 1)
  }

  private func serve() {
    #if os(Linux)
      let poll = epoll_create1(0)
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: woken))
      epoll_ctl(poll, EPOLL_CTL_ADD, woken, &event)
    #endif
    while !state.withLock({ $0.isOver }) {
      #if os(Linux)
        var ready = epoll_event()
        guard epoll_wait(poll, &ready, 1, -1) > 0 else { continue }
      #endif
      // Without epoll, this is the wait.
      var bytes = [UInt8](repeating: 0, count: 64)
      _ = read(woken, &bytes, bytes.count)
      let items = state.withLock { state in
        defer { state.items = [] }
        return state.items
      }
      for item in items { item() }
    }
  }
}
