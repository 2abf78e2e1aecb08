#if os(Linux)
  import Foundation

  /// A task on a thread of its own: one that holds its thread would take it from the few that all other tests share.
  final class OwnThreadTask: Sendable {
    private let executor = Executor()
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () async -> Void) {
      Task.detached(executorPreference: executor) { [ended] in
        await body()
        ended.signal()
      }
    }

    /// Returns when it has ended.
    func wait() {
      ended.wait()
      executor.stop()
    }

    private final class Executor: TaskExecutor {
      private let jobs = Jobs()

      init() {
        Thread { [self] in
          while let job = jobs.next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }.start()
      }

      func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }
      func stop() { jobs.end() }
    }

    /// What is to be run next.
    private final class Jobs: @unchecked Sendable {
      private let condition = NSCondition()
      private var waiting: [UnownedJob] = []
      private var isOver = false

      func add(_ job: UnownedJob) {
        condition.withLock { waiting.append(job) }
        condition.signal()
      }

      func end() {
        condition.withLock { isOver = true }
        condition.signal()
      }

      /// Waits for a job; nil when there will be none.
      func next() -> UnownedJob? {
        condition.withLock {
          while waiting.isEmpty, !isOver { condition.wait() }
          return waiting.isEmpty ? nil : waiting.removeFirst()
        }
      }
    }
  }
#endif
