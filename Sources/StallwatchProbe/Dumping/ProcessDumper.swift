#if os(Linux)
  import CStallwatch
  import StallwatchCore
  import StallwatchLibc

  /// Reads what all threads of another process do, without stopping or signalling it: from /proc, from its memory, and for
  /// threads that run by a clock of the kernel. Keeps what it learned of the process's code for the next dump. Used on one
  /// thread, one dumper at a time.
  package final class ProcessDumper {
    private let process: Int32
    private let folder: ProcessFolder
    /// Nil where the process's memory may not be read.
    private let walker: StackWalker?
    private let startTime: UInt64?
    private var gaps: [String] = []
    /// Receives copies of running threads' stacks.
    private let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Int(stallwatch_most_sampled_stack))

    /// How often to read a thread again that moves while it is read.
    private static let attempts = 5
    /// In milliseconds: how long to wait for a tick at which a thread runs. Its clock ticks every millisecond of its CPU
    /// time; on a busy machine it may wait for a processor meanwhile.
    private static let patience: Int32 = 50
    /// The most threads that are waited for, so that a dump of thousands of busy threads ends within some seconds.
    private static let mostSampled = 100

    /// Opens a process. Throws ``ProbeError/noProcess(_:)`` where there is none, and ``ProbeError/noResources(_:)``.
    package init(process: Int32) throws {
      self.process = process
      folder = ProcessFolder(process: process)
      guard process > 0, let stat = folder.text("stat"), !Self.isThreadOnly(folder, process) else {
        throw ProbeError.noProcess(process)
      }
      startTime = Self.startTime(in: stat)
      if stallwatch_begin_reading_process(UInt64(process)) {
        guard let walker = StackWalker(of: folder) else { throw ProbeError.noResources("memory") }
        self.walker = walker
      } else {
        walker = nil
        gaps = [DumpRights.explain(errno, process: process)]
      }
    }

    deinit {
      stallwatch_end_reading_process()
      copy.deallocate()
    }

    /// Reads all threads. Throws ``ProbeError/noProcess(_:)`` if the process has ended, or is another one by now.
    package func dump() throws -> ProcessDump {
      let started = Platform.now()
      guard let stat = folder.text("stat"), Self.startTime(in: stat) == startTime else {
        throw ProbeError.noProcess(process)
      }
      var dump = ProcessDump(pid: process, command: command(), takenAt: Platform.wallClock(), age: age())
      let threads = folder.threads.sorted { $0 == UInt64(process) && $1 != UInt64(process) }
      let numbers = ThreadNumbers(threads, of: folder)
      walker?.readImages()
      var looks = threads.compactMap { look(at: $0, numbers) }
      let obstacle = sampleRunning(&looks)
      for place in looks.indices {
        looks[place].thread.isStill = looks[place].facts.isStill(looks[place].thread.id, of: folder)
      }
      dump.threads = looks.map(\.thread)
      dump.images = images(of: dump.threads)
      dump.workWaitsForMain = walker.flatMap { MainQueueWork.waitsForMainThread($0.images) }
      dump.store = MonitoredStore.path(of: threads, in: folder)
      dump.gaps = gaps + (obstacle.map { [$0] } ?? [])
      dump.duration = Platform.now().since(started)
      return dump
    }

    private struct Look {
      var thread: DumpedThread
      var facts: ThreadFacts
    }

    /// Reads one thread; nil when it has ended.
    private func look(at id: UInt64, _ numbers: ThreadNumbers) -> Look? {
      var last: Look?
      for _ in 0..<Self.attempts {
        guard let facts = ThreadFacts(id, of: folder) else { return last }
        var thread = DumpedThread(
          id: id, name: name(of: id), isMain: id == UInt64(process), state: Self.state(facts.letter), cpu: facts.cpu)
        let snapshot = walker == nil ? nil : stallwatch_look_at_other_thread(UInt64(process), id)
        switch snapshot?.state {
        case stallwatch_thread_blocked? where thread.state != .ended:
          if thread.state == .running { thread.state = .blocked }
          let isRead = read(snapshot!, into: &thread, numbers) { facts.isStill(id, of: folder) }
          last = Look(thread: thread, facts: facts)
          if isRead { return last }
        case stallwatch_thread_runnable?:
          thread.state = .running
          return Look(thread: thread, facts: facts)
        case stallwatch_thread_gone?: return last
        default:
          thread.withoutStack = thread.state == .ended ? "it has ended" : "the kernel does not show it"
          return Look(thread: thread, facts: facts)
        }
      }
      // It moves too fast to be read: then it runs.
      last?.thread.state = .running
      last?.thread.frames = []
      last?.thread.blockedOn = nil
      last?.thread.waitsFor = nil
      return last
    }

    /// Reads a blocked thread's stack, what it is blocked on and which thread it waits for. False when it has moved.
    private func read(
      _ snapshot: stallwatch_thread_snapshot, into thread: inout DumpedThread, _ numbers: ThreadNumbers,
      isStill: () -> Bool
    ) -> Bool {
      guard let walk = walker?.walk(snapshot, nil, isStill: isStill) else { return false }
      var captured = CapturedStack(threadID: thread.id, atNs: 0, activity: .blocked, method: .withoutSignal)
      captured.take(walk, like: nil)
      thread.frames = captured.markedFrames
      let call = snapshot.number < 0 ? nil : SystemCall(snapshot)
      let letter: Character = thread.state == .stopped ? "T" : "D"
      thread.blockedOn = BlockedOnResolver(process: folder).resolve(call, letter: letter)
      thread.waitsFor = call.flatMap(FutexWait.init).flatMap { waitedFor($0, by: thread.id, numbers) }
      return isStill()
    }

    private func waitedFor(_ futex: FutexWait, by thread: UInt64, _ numbers: ThreadNumbers) -> ThreadLink? {
      if let owner = futex.ownerNumber().flatMap({ numbers[$0] }) {
        return ThreadLink(kind: .lock, thread: owner, object: "0x" + String(futex.address, radix: 16))
      }
      if let joined = futex.joinedNumber().flatMap({ numbers[$0] }) { return ThreadLink(kind: .end, thread: joined) }
      guard let sync = DispatchSyncWait(futex: futex.address, waiter: numbers.inside(thread)) else { return nil }
      return numbers[sync.server].map { ThreadLink(kind: .queue, thread: $0, object: sync.label) }
    }

    /// Reads the stacks of threads that run. Returns why that is not possible; nil where it is.
    private func sampleRunning(_ looks: inout [Look]) -> String? {
      guard let walker else { return nil }
      var left = Self.mostSampled
      for place in looks.indices where looks[place].thread.state == .running {
        let id = looks[place].thread.id
        guard left > 0 else {
          looks[place].thread.withoutStack = "too many threads run"
          continue
        }
        left -= 1
        var registers = stallwatch_registers()
        var stack = stallwatch_stack_copy()
        switch stallwatch_sample_running(id, Self.patience, copy.baseAddress, &registers, &stack) {
        case stallwatch_sample_taken:
          var captured = CapturedStack(threadID: id, atNs: 0, activity: .running, method: .interrupted)
          captured.take(walker.walk(registers, stack, nil), like: nil)
          looks[place].thread.frames = captured.markedFrames
        case stallwatch_sample_timed_out:
          let hasRun = ThreadFacts(id, of: folder).map { $0.cpu > looks[place].facts.cpu } ?? true
          looks[place].thread.state = hasRun ? .running : .starved
          looks[place].thread.withoutStack = hasRun ? "it ran in the kernel, or too briefly" : "it got no processor"
        default:
          let obstacle = DumpRights.explainRunning(errno)
          for rest in looks.indices where looks[rest].thread.state == .running && looks[rest].thread.frames.isEmpty {
            looks[rest].thread.withoutStack = "it runs"
          }
          return obstacle
        }
      }
      return nil
    }

    private func images(of threads: [DumpedThread]) -> [ImageRecord] {
      guard let walker else { return [] }
      var found: Set<ImageRecord> = []
      for address in threads.lazy.flatMap(\.frames) {
        if let image = walker.images.image(at: address) { found.insert(image) }
      }
      return found.sorted { $0.start < $1.start }
    }

    private func command() -> [String] {
      let words = folder.bytes("cmdline")?.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } ?? []
      return words.isEmpty ? [folder.text("comm") ?? ""] : words
    }

    private func name(of thread: UInt64) -> String? {
      guard thread != UInt64(process), let name = folder.text("task/\(thread)/comm"), !name.isEmpty else { return nil }
      // A thread that nobody named carries the name of the thread that made it, in the end the main thread's.
      return name == folder.text("comm") ? nil : name
    }

    private func age() -> Nanoseconds? {
      guard let startTime else { return nil }
      let ticks = Nanoseconds(max(1, sysconf(Int32(_SC_CLK_TCK))))
      return Platform.now().saturatingAdd(Platform.sleepOffset()).since(startTime * (.second / ticks))
    }

    private static func state(_ letter: Character) -> DumpedThread.State? {
      switch letter {
      case "R": .running
      case "S", "D", "I": .blocked
      case "T", "t": .stopped
      case "Z", "X", "x": .ended
      default: nil
      }
    }

    /// Clock ticks from boot to the process's start: field 22, of which the first after the name is the third.
    private static func startTime(in stat: String) -> UInt64? {
      guard let end = stat.lastIndex(of: ")") else { return nil }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// Whether the number is that of a thread that is not its process's first: the kernel has a folder for it, too.
    private static func isThreadOnly(_ folder: ProcessFolder, _ process: Int32) -> Bool {
      let line = folder.text("status")?.split(separator: "\n").first { $0.hasPrefix("Tgid:") }
      return line?.split(whereSeparator: \.isWhitespace).last != Substring(String(process))
    }
  }
#endif
