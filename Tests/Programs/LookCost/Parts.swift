import CStallwatch
import Foundation
import StallwatchProbe

#if os(Linux)
  /// What the parts of a look cost when nothing else has happened since the last one.
  enum Parts {
    struct Part {
      var name: String
      /// CPU time in nanoseconds.
      var cost: Double
    }

    /// Measures each part at a thread that sleeps.
    static func measure() -> [Part] {
      let subject = SleepingThread()
      defer { subject.end() }
      let threadID = subject.threadID
      let snapshot = stallwatch_look_at_thread(threadID)
      var copy = [UInt8](repeating: 0, count: 16_384)
      var runDelay: UInt64 = 0
      var parts = [
        part("its clock") { _ = stallwatch_thread_cpu(threadID) },
        part("its system call (/proc/self/task/TID/syscall)") { _ = stallwatch_look_at_thread(threadID) },
        part("its run delay (/proc/self/task/TID/schedstat)") { _ = stallwatch_thread_run_delay(threadID, &runDelay) },
        part("its state (/proc/self/task/TID/stat)") { _ = stallwatch_thread_letter(threadID, &runDelay) },
        part("16 KB of its stack, and the way to it") {
          stallwatch_begin_reading()
          _ = stallwatch_copy_memory(snapshot.stack_pointer, &copy, copy.count)
          stallwatch_end_reading()
        },
      ]
      stallwatch_begin_reading()
      parts.append(
        part("a word of memory, once the way is open") { _ = stallwatch_copy_memory(snapshot.stack_pointer, &copy, 8) })
      stallwatch_end_reading()
      if let sampler = makeThreadSampler() {
        parts.append(part("all of a look, at one that has not moved") { _ = sampler.follow(threadID: threadID) })
        parts.append(part("all of a look, at one that has moved") { _ = sampler.capture(threadID: threadID) })
        sampler.stop()
      }
      return parts
    }

    private static let rounds = 5_000

    private static func part(_ name: String, _ body: () -> Void) -> Part {
      for _ in 0..<rounds / 10 { body() }
      let before = OwnThreads.ownCPU()
      for _ in 0..<rounds { body() }
      return Part(name: name, cost: Double(OwnThreads.ownCPU() - before) / Double(rounds))
    }
  }

  /// A thread that sleeps until somebody ends it.
  private final class SleepingThread: @unchecked Sendable {
    private(set) var threadID: UInt64 = 0
    private let isThere = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    init() {
      Thread { [self] in
        threadID = stallwatch_thread_id()
        isThere.signal()
        isOver.wait()
      }.start()
      isThere.wait()
      usleep(10_000)
    }

    func end() { isOver.signal() }
  }
#endif
