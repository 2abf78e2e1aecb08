#if canImport(Darwin)
  import Darwin
  import StallwatchCore

  typealias Platform = ApplePlatform

  /// Apple's systems. Written after the documentation; never run.
  enum ApplePlatform: PlatformFacts {
    static func now() -> Nanoseconds { clock_gettime_nsec_np(CLOCK_UPTIME_RAW) }

    // Apple's clock already is a counter read and a multiplication.
    static func keepsTimeByCounter() -> Bool { false }

    static func wallClock() -> UInt64 { clock_gettime_nsec_np(CLOCK_REALTIME) }

    static func sleepOffset() -> Nanoseconds {
      let awake = clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
      return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW).since(awake)
    }

    static func threadCPU() -> Nanoseconds { clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) }

    static func processCPU() -> Nanoseconds { clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID) }

    static func idleTime() -> Nanoseconds? { nil }

    // A stop leaves no evidence there to weigh CPU time against.
    static func cpu(ofThread threadID: UInt64) -> Nanoseconds? { nil }

    static func name(ofThread threadID: UInt64) -> String? {
      var info = proc_threadinfo()
      let size = Int32(MemoryLayout<proc_threadinfo>.size)
      guard proc_pidinfo(getpid(), PROC_PIDTHREADID64INFO, threadID, &info, size) == size else { return nil }
      let name = withUnsafeBytes(of: info.pth_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return name.isEmpty ? nil : name
    }

    // Unnamed threads have no name at all.
    static func programName() -> String? { nil }

    static func programBuildID() -> String? { AppleImageMap.programBuildID() }

    static func isNameOfWorker(_ name: String) -> Bool { false }
  }
#endif
