#if os(Linux)
  import CStallwatch
  import Foundation
  import Synchronization
  import Testing

  /// A thread that does something in a function by which its stack can be known, until it is told to stop.
  final class SampledThread: Sendable {
    /// Its number.
    let threadID: UInt64
    private let flag: StopFlag
    private let ended: DispatchSemaphore

    /// Whether the thread is to end; read by its body.
    final class StopFlag: Sendable {
      private let value = Atomic<Bool>(false)
      var isSet: Bool { value.load(ordering: .relaxed) }
      func set() { value.store(true, ordering: .relaxed) }
    }

    /// Starts a thread that calls `body` and returns once it runs. It takes all signals, as a program's main thread does,
    /// unless it is to block some: the tests themselves run on workers of Dispatch, which block nearly all.
    init(name: String = "sampled", blocking signals: [Int32] = [], _ body: @escaping @Sendable (StopFlag) -> Void) {
      let flag = StopFlag()
      let ended = DispatchSemaphore(value: 0)
      let started = DispatchSemaphore(value: 0)
      let number = Shared(Atomic<UInt64>(0))
      let thread = Thread {
        stallwatch_name_thread(name)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in signals { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        number.value.store(stallwatch_thread_id(), ordering: .releasing)
        started.signal()
        body(flag)
        ended.signal()
      }
      thread.start()
      started.wait()
      threadID = number.value.load(ordering: .acquiring)
      self.flag = flag
      self.ended = ended
    }

    /// Tells the thread to stop, wakes it if it needs that, and waits for its end.
    func stop(waking wake: () -> Void = {}) {
      flag.set()
      wake()
      ended.wait()
    }

    /// Waits until the thread has stayed blocked in one system call for a while.
    func waitUntilBlocked() {
      var before = stallwatch_look_at_thread(threadID)
      while true {
        usleep(2_000)
        var now = stallwatch_look_at_thread(threadID)
        if stallwatch_is_same_sight(&before, &now) { return }
        before = now
      }
    }
  }

  /// The thread sanitizer keeps a signal back until the thread calls a function that it knows: one that computes never answers.
  enum ThreadSanitizer {
    static let isOff = dlsym(nil, "__tsan_init") == nil
    static let reason: Comment = "the thread sanitizer keeps signals from threads that compute"
  }

  /// Whether the system still knows a thread of this process.
  func stallwatchThreadExists(_ threadID: UInt64) -> Bool {
    var ignored: UInt64 = 0
    return stallwatch_thread_letter(threadID, &ignored) != 0
  }
#endif
