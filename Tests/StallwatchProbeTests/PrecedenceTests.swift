#if os(Linux)
  import CStallwatch
  import Foundation
  import Glibc
  import Testing

  private let oneThread = __priority_which_t(PRIO_PROCESS.rawValue)

  @Suite("A thread of the monitor that has fallen behind")
  struct PrecedenceTests {
    /// The niceness of a thread, and what other threads then have.
    private struct Niceness: Equatable {
      var own: Int32
      var process: Int32
    }

    private static func niceness() -> Niceness {
      Niceness(
        own: getpriority(oneThread, id_t(stallwatch_thread_id())),
        process: getpriority(oneThread, id_t(getpid())))
    }

    /// Whether this process may have threads of less niceness: asked of the kernel, on a thread that ends with the answer.
    private static func mayComeFirst() -> Bool {
      onThread {
        let own = getpriority(oneThread, 0)
        return setpriority(oneThread, 0, own - 10) == 0
      }
    }

    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
      nonisolated(unsafe) var result: Result?
      let done = DispatchSemaphore(value: 0)
      Thread {
        result = body()
        done.signal()
      }.start()
      done.wait()
      return result!
    }

    @Test("comes first where it may, alone, and takes its place again when it has caught up")
    func comesFirst() {
      let seen = Self.onThread {
        let before = Self.niceness()
        stallwatch_come_first(true)
        stallwatch_come_first(true)
        let first = Self.niceness()
        stallwatch_come_first(false)
        return [before, first, Self.niceness()]
      }
      let before = seen[0]
      let steps: Int32 = Self.mayComeFirst() ? 10 : 0
      #expect(seen[1] == Niceness(own: max(before.own - steps, -20), process: before.process))
      #expect(seen[2] == before)
    }
  }
#endif
