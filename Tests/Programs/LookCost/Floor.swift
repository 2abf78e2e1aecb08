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
          files.read(&files.systemCall, upTo: 256)
        }
      case .moves:
        // Three of four such looks do without the run delay.
        measure("blocked, moved: also 2 KB of its stack, its clock again", at: way) { files in
          files.clock()
          files.read(&files.systemCall, upTo: 256)
          files.read(&files.memory, upTo: stack, from: files.stackPointer)
          files.clock()
        }
      case .runs:
        // A thread whose clock goes on between two readings is in no system call, and has no new run delay.
        measure("running: its clock twice, whose a signal is, a timer", at: way) { files in
          files.clock()
          files.clock()
          files.findSignalOwner()
          files.arm()
        }
      }
    }

    private static func measure(_ name: String, at way: Hold.Way, _ look: (inout ThreadFiles) -> Void) -> Parts.Part {
      let subject = HeldThread(way)
      defer { subject.end() }
      var files = ThreadFiles(of: subject)
      defer { files.close() }
      let costs = (0..<looks).map { _ in
        usleep(pause)
        let before = OwnThreads.ownCPU()
        look(&files)
        return OwnThreads.ownCPU() - before
      }
      return Parts.Part(name: name, cost: Double(costs.sorted()[looks / 2]))
    }
  }

  /// What a look uses of a thread, open.
  private struct ThreadFiles {
    var systemCall: stallwatch_kept_file
    var memory = stallwatch_keep_file("/proc/self/mem")
    let stackPointer: UInt64
    private let threadID: UInt64
    private var timer: timer_t?
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)

    init(of held: HeldThread) {
      threadID = held.threadID
      systemCall = stallwatch_keep_file("/proc/self/task/\(threadID)/syscall")
      stackPointer = stallwatch_look_at_thread(threadID).stack_pointer
      // Armed, it sends nothing, and costs what one costs that does.
      var event = sigevent()
      event.sigev_notify = Int32(SIGEV_NONE)
      timer_create(OwnThreads.clock(of: threadID), &event, &timer)
    }

    func clock() { _ = OwnThreads.cpu(of: threadID) }

    func findSignalOwner() { _ = stallwatch_find_signal_owner(stallwatch_harmless_signal) }

    func arm() {
      guard let timer else { return }
      var soon = itimerspec()
      soon.it_value.tv_nsec = 1
      timer_settime(timer, 0, &soon, nil)
    }

    /// Reads a file, after asking whether the descriptor is still this file, as every look must.
    func read(_ file: inout stallwatch_kept_file, upTo count: Int, from place: UInt64 = 0) {
      guard stallwatch_is_still_kept(&file) else { return }
      pread(file.descriptor, buffer, count, off_t(place))
    }

    mutating func close() {
      stallwatch_release_file(&systemCall)
      stallwatch_release_file(&memory)
      if let timer { timer_delete(timer) }
      buffer.deallocate()
    }
  }

  /// A thread that waits or computes until ``end()`` is called.
  private final class HeldThread: @unchecked Sendable {
    private(set) var threadID: UInt64 = 0
    private let isThere = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ way: Hold.Way) {
      Thread { [self] in
        threadID = stallwatch_thread_id()
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
