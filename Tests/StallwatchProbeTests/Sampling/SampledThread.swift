#if os(Linux)
  import CStallwatch
  import Foundation
  import Synchronization
  import Testing

  /// A thread that does something in a function by which its stack can be recognised, until somebody stops it.
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
      let isBlocked = eventually { hasStayedBlocked { usleep(2_000) } }
      if !isBlocked { Issue.record("the thread never stayed blocked") }
    }

    /// Calls `look` until this thread, and `others`, stayed blocked each in one system call all the while, and returns what
    /// it found then: a thread that wakes now and then may be met awake.
    func whileBlocked<Found>(_ others: [SampledThread] = [], _ look: () throws -> Found) throws -> Found {
      var found: Found?
      var failure: (any Error)?
      let isFound = eventually {
        hasStayedBlocked(others) {
          do { found = try look() } catch { failure = error }
        }
      }
      if let failure { throw failure }
      try #require(isFound, "the threads never stayed blocked")
      return try #require(found)
    }

    private func hasStayedBlocked(_ others: [SampledThread] = [], _ body: () -> Void) -> Bool {
      let threads = [threadID] + others.map(\.threadID)
      var before = threads.map { stallwatch_look_at_thread($0) }
      guard before.allSatisfy({ $0.state == stallwatch_thread_blocked }) else {
        usleep(1_000)
        return false
      }
      body()
      var after = threads.map { stallwatch_look_at_thread($0) }
      return threads.indices.allSatisfy { stallwatch_is_same_snapshot(&before[$0], &after[$0]) }
    }

    /// Waits until the thread has used a processor for some ticks of the system's clock, at which it answers.
    func waitUntilItComputed() {
      func used() -> UInt64 { stallwatch_thread_cpu(threadID) }
      let before = used()
      let hasComputed = eventually { used() > before + 50_000_000 }
      if !hasComputed { Issue.record("the thread was given no processor") }
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
