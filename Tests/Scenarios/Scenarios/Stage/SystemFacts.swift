import Foundation

/// Nanoseconds of the monotonic clock.
func monotonicNow() -> UInt64 {
  #if canImport(Darwin)
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
  #else
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  #endif
}

/// The operating system's number of the calling thread: gettid on Linux.
func currentThreadID() -> UInt64 {
  #if canImport(Darwin)
    var number: UInt64 = 0
    pthread_threadid_np(nil, &number)
    return number
  #else
    // gettid is not visible to Swift; the link reads "PID/task/TID".
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return link.flatMap { UInt64($0.split(separator: "/").last ?? "") } ?? 0
  #endif
}

/// For how long a thread of this process was ready to run and got no processor, in nanoseconds since it began; nil where
/// the system does not tell.
func runDelay(ofThread threadID: UInt64) -> UInt64? {
  // CPU time, run delay, number of time slices.
  guard let text = try? String(contentsOfFile: "/proc/self/task/\(threadID)/schedstat", encoding: .utf8) else {
    return nil
  }
  let fields = text.split(separator: " ")
  return fields.count > 1 ? UInt64(fields[1]) : nil
}

/// The threads of this process; none where the system does not list them.
func threadIDs() -> [UInt64] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return names.compactMap { UInt64($0) }
}

/// Sleeps; a signal that cuts usleep short makes it sleep again.
func pause(milliseconds: UInt64) {
  let endNs = monotonicNow() + milliseconds * 1_000_000
  while true {
    let now = monotonicNow()
    guard now < endNs else { return }
    usleep(UInt32((endNs - now + 999) / 1_000))
  }
}

/// Names the calling thread; at most 15 bytes on Linux. Foundation's own setter does nothing on Linux while the call
/// that started the thread has not returned yet, and Swift does not see pthread_setname_np there.
func nameThread(_ name: String) {
  #if canImport(Darwin)
    pthread_setname_np(name)
  #else
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  #endif
}
