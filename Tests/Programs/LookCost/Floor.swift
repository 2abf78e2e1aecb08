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

    /// Measures the floor of each kind of look: the median of some looks that make these calls and nothing else.
    static func measure() -> [Parts.Part] {
      [
        measure("blocked, not moved: its clock, its system call", moves: false) { files in
          files.clock()
          files.read(files.systemCall, upTo: 256)
        },
        measure("blocked, moved: also 2 KB of its stack, its clock again, its run delay", moves: true) { files in
          files.clock()
          files.read(files.systemCall, upTo: 256)
          files.read(files.memory, upTo: stack, from: files.stackPointer)
          files.clock()
          files.read(files.times, upTo: 128)
        },
      ]
    }

    private static func measure(_ name: String, moves: Bool, _ look: (ThreadFiles) -> Void) -> Parts.Part {
      let subject = RestingThread(moves: moves)
      defer { subject.end() }
      let files = ThreadFiles(of: subject.threadID)
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
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)

    init(of threadID: UInt64) {
      self.threadID = threadID
      systemCall = open("/proc/self/task/\(threadID)/syscall", O_RDONLY | O_CLOEXEC)
      times = open("/proc/self/task/\(threadID)/schedstat", O_RDONLY | O_CLOEXEC)
      memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
      stackPointer = stallwatch_look_at_thread(threadID).stack_pointer
    }

    func clock() { _ = OwnThreads.cpu(of: threadID) }

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

  /// A thread that waits until ``end()`` is called. With `moves` it wakes every millisecond and waits again.
  private final class RestingThread: @unchecked Sendable {
    private(set) var threadID: UInt64 = 0
    private let isThere = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    init(moves: Bool) {
      Thread { [self] in
        threadID = stallwatch_thread_id()
        isThere.signal()
        if !moves { return isOver.wait() }
        while isOver.wait(timeout: .now() + .milliseconds(1)) == .timedOut {}
      }.start()
      isThere.wait()
      usleep(10_000)
    }

    func end() { isOver.signal() }
  }
#endif
