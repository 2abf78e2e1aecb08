#if os(Linux)
  import CStallwatch
  import StallwatchLibc
  import StallwatchCore

  typealias Platform = LinuxPlatform

  /// Linux: vDSO clocks and /proc.
  enum LinuxPlatform: PlatformFacts {
    @inline(__always)
    static func now() -> Nanoseconds { read(CLOCK_MONOTONIC) }

    static func keepsTimeByCounter() -> Bool {
      let source = contents(of: "/sys/devices/system/clocksource/clocksource0/current_clocksource")
      return source == "tsc" || source == "arch_sys_counter"
    }

    static func wallClock() -> UInt64 { read(CLOCK_REALTIME) }

    static func sleepOffset() -> Nanoseconds {
      let monotonic = read(CLOCK_MONOTONIC)
      return read(CLOCK_BOOTTIME).since(monotonic)
    }

    static func threadCPU() -> Nanoseconds { read(CLOCK_THREAD_CPUTIME_ID) }

    static func processCPU() -> Nanoseconds { read(CLOCK_PROCESS_CPUTIME_ID) }

    static func idleTime() -> Nanoseconds? {
      // The time since the boot, and this: in seconds.
      guard let text = contents(of: "/proc/uptime"), let space = text.firstIndex(of: " "),
        let seconds = Double(text[text.index(after: space)...]), seconds >= 0, seconds < 1e9
      else { return nil }
      return Nanoseconds(seconds * Double(Nanoseconds.second))
    }

    static func cpu(ofThread threadID: UInt64) -> Nanoseconds? {
      guard threadID != 0 else { return nil }
      let cpu = stallwatch_thread_cpu(threadID)
      return cpu > 0 ? cpu : nil
    }

    static func name(ofThread threadID: UInt64) -> String? {
      guard let name = contents(of: "/proc/self/task/\(threadID)/comm"), !name.isEmpty else { return nil }
      return name == programName() ? nil : name
    }

    // A thread that nobody named carries the name of the thread that made it, in the end the main thread's.
    static func programName() -> String? { contents(of: "/proc/self/comm") }

    static func programBuildID() -> String? { ElfImageHeaders.ofProgram?.buildIDText }

    // Dispatch names its threads after the global queue that they serve, by the end of its label: a name has 15 bytes.
    static func isNameOfWorker(_ name: String) -> Bool { namesOfWorkers.contains(name) }

    private static let namesOfWorkers = Set(
      ["maintenance", "background", "utility", "default", "user-initiated", "user-interactive"].flatMap { quality in
        let label = "com.apple.root.\(quality)-qos"
        return [String(label.suffix(15)), String("\(label).overcommit".suffix(15))]
      })

    @inline(__always)
    private static func read(_ clock: clockid_t) -> Nanoseconds {
      var time = timespec()
      clock_gettime(clock, &time)
      return Nanoseconds(bitPattern: Int64(time.tv_sec)) &* .second &+ Nanoseconds(bitPattern: Int64(time.tv_nsec))
    }

    /// A small file's text without its last line break, 256 bytes at most. Opened anew each time: the program could
    /// close a descriptor kept open and use its number again.
    private static func contents(of path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return nil }
        var bytes = buffer[..<count]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }
#endif
