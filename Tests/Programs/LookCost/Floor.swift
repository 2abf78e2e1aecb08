import CStallwatch
import Foundation

#if os(Linux)
  /// What the system calls alone take that a look cannot do without, as far apart as looks are: below it no look comes on
  /// this machine, whatever it does besides.
  enum Floor {
    private static let looks = 25
    /// As long as looks are apart that find the same, in microseconds.
    private static let pause: UInt32 = 80_000
    private static let stack = 2_048

    /// Measures the floor of looks at threads that are held in a way: the median of some looks that make these calls and
    /// nothing else.
    static func measure(_ way: Hold.Way) -> Parts.Part {
      switch way {
      case .stays:
        measure("blocked, not moved: its clock, its system call", at: way) { files in
          files.clock()
          files.read(files.systemCall, upTo: 256)
        }
      case .moves:
        measure("blocked, moved: also 2 KB of its stack, its clock again, its run delay", at: way) { files in
          files.clock()
          files.read(files.systemCall, upTo: 256)
          files.read(files.memory, upTo: stack, from: files.stackPointer)
          files.clock()
          files.read(files.times, upTo: 128)
        }
      case .runs:
        measure("running: its clock, its system call, a signal, its clock again, its run delay", at: way) { files in
          files.clock()
          files.read(files.systemCall, upTo: 256)
          files.signal()
          files.clock()
          files.read(files.times, upTo: 128)
        }
      }
    }

    private static func measure(_ name: String, at way: Hold.Way, _ look: (ThreadFiles) -> Void) -> Parts.Part {
      let subject = HeldThread(way)
      defer { subject.end() }
      let files = ThreadFiles(of: subject)
      defer { files.close() }
      let costs = (0..<looks).map { _ in
        usleep(pause)
        let before = OwnThreads.ownCPU()
        look(files)
        return OwnThreads.ownCPU() - before
      }
      return Parts.Part(name: name, cost: Double(costs.sorted()[looks / 2]))
    }
  }

  /// What a look reads of a thread, open.
  private struct ThreadFiles {
    let systemCall: Int32
    let times: Int32
    let memory: Int32
    let stackPointer: UInt64
    private let threadID: UInt64
    private let thread: pthread_t
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)

    init(of held: HeldThread) {
      (threadID, thread) = (held.threadID, held.thread)
      systemCall = open("/proc/self/task/\(threadID)/syscall", O_RDONLY | O_CLOEXEC)
      times = open("/proc/self/task/\(threadID)/schedstat", O_RDONLY | O_CLOEXEC)
      memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
      stackPointer = stallwatch_look_at_thread(threadID).stack_pointer
    }

    func clock() { _ = OwnThreads.cpu(of: threadID) }

    /// Sends no signal, but looks for the thread and asks whether it may have one.
    func signal() { pthread_kill(thread, 0) }

    /// Reads a file, after asking whether the descriptor is still this file, as every look must.
    func read(_ file: Int32, upTo count: Int, from place: UInt64 = 0) {
      var status = stat()
      fstat(file, &status)
      pread(file, buffer, count, off_t(place))
    }

    func close() {
      for file in [systemCall, times, memory] { Foundation.close(file) }
      buffer.deallocate()
    }
  }

  /// A thread that waits or computes until ``end()`` is called.
  private final class HeldThread: @unchecked Sendable {
    private(set) var threadID: UInt64 = 0
    private(set) var thread = pthread_self()
    private let isThere = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ way: Hold.Way) {
      Thread { [self] in
        (threadID, thread) = (stallwatch_thread_id(), pthread_self())
        isThere.signal()
        switch way {
        case .stays: isOver.wait()
        case .moves: while isOver.wait(timeout: .now() + .milliseconds(1)) == .timedOut {}
        case .runs: while isOver.wait(timeout: .now()) == .timedOut {}
        }
      }.start()
      isThere.wait()
      usleep(10_000)
    }

    func end() { isOver.signal() }
  }
#endif
