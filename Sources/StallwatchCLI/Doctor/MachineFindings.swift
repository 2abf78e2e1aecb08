import StallwatchCore
import StallwatchLibc
import StallwatchReport

/// What the machine allows: kernel, clock, processors, and what the kernel says about threads.
enum MachineFindings {
  /// All findings about this machine.
  static func all() -> [DoctorFinding] {
    var findings = [system(), clock()]
    #if os(Linux)
      findings += [clockSource(), processors(), runQueueDelay(), bootID()]
    #endif
    return findings + [privileges()]
  }

  private static func system() -> DoctorFinding {
    var names = utsname()
    guard uname(&names) == 0 else { return DoctorFinding("system", .limit, nil) }
    func text<Bytes>(_ bytes: Bytes) -> String {
      withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return DoctorFinding(
      "system", .good, "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))")
  }

  /// A coarser clock cannot time stalls to a fraction of a millisecond.
  private static func clock() -> DoctorFinding {
    var resolution = timespec()
    guard clock_getres(CLOCK_MONOTONIC, &resolution) == 0 else {
      return DoctorFinding("monotonic clock", .obstacle, nil, remark: "The system has no monotonic clock.")
    }
    let nanoseconds = UInt64(resolution.tv_sec) * 1_000_000_000 + UInt64(resolution.tv_nsec)
    let value = "resolution \(DurationNotation.exact(nanoseconds))"
    return nanoseconds <= 100_000
      ? DoctorFinding("monotonic clock", .good, value)
      : DoctorFinding("monotonic clock", .limit, value, remark: "Durations cannot be more precise than this clock.")
  }

  private static func privileges() -> DoctorFinding {
    DoctorFinding("privileges", .good, "none needed: neither ptrace nor perf events are used")
  }
}

#if os(Linux)
  extension MachineFindings {
    /// Clock sources that a thread reads without a system call (vDSO). Any other costs about 1 µs more per reading.
    private static let cheapSources: Set<String> = [
      "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", "riscv_clocksource",
    ]

    private static func clockSource() -> DoctorFinding {
      guard let source = SystemFile.text("/sys/devices/system/clocksource/clocksource0/current_clocksource") else {
        return DoctorFinding(
          "clock source", .limit, nil, remark: "With a slow source the monitor costs more on watched threads.")
      }
      return cheapSources.contains(source)
        ? DoctorFinding("clock source", .good, source)
        : DoctorFinding(
          "clock source", .limit, source,
          remark: "The monitor reads it at every activity of a watched loop, and each reading takes a system call.")
    }

    private static func processors() -> DoctorFinding {
      let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
      let value = count > 0 ? "\(count) online" : nil
      guard let limit = CPULimit.ofThisProcess() else { return DoctorFinding("processors", .good, value) }
      let cores = "\(Double((limit * 100).rounded()) / 100)"
      let status: DoctorFinding.Status = limit < 1 ? .limit : .good
      return DoctorFinding(
        "processors", status, "\(value ?? "unknown"); this control group may use \(cores)",
        remark: limit < 1 ? "A throttled program stalls through no fault of its own." : nil)
    }

    /// Run-queue delay separates a starved thread from a busy one.
    private static func runQueueDelay() -> DoctorFinding {
      let path = "/proc/self/task/\(getpid())/schedstat"
      let fields = SystemFile.text(path)?.split(separator: " ").count ?? 0
      return fields >= 3
        ? DoctorFinding("run-queue delay", .good, "readable (schedstat)")
        : DoctorFinding(
          "run-queue delay", .limit, "\(path) is not readable",
          remark: "The report cannot say whether a stalled thread was starved of CPU.")
    }

    private static func bootID() -> DoctorFinding {
      SystemFile.text("/proc/sys/kernel/random/boot_id") != nil
        ? DoctorFinding("boot id", .good, "readable")
        : DoctorFinding(
          "boot id", .limit, "/proc/sys/kernel/random/boot_id is not readable",
          remark: "A killed session may look like a running one if the system reuses its process ID.")
    }
  }
#endif
