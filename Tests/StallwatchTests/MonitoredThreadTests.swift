import Foundation
import TestPrograms
import Testing

/// What the monitor does on the thread it watches, counted from outside.
@Suite("On a watched thread the monitor", .serialized)
struct MonitoredThreadTests {
  private let program = Built.product("steady-loop")
  @Test("allocates nothing in 100,000 iterations")
  func allocations() throws {
    let iterations = 100_000
    let directory = try TestDirectory()
    let without = try allocations(of: [program, "iterate", "\(iterations)"])
    let with = try allocations(of: [program, "iterate", "\(iterations)", "\(directory.path)/a.stallwatch"])
    #expect(with == without)
  }

  @Test("makes no system call in its iterations but the waking of a parked watchdog")
  func systemCalls() throws {
    let directory = try TestDirectory()
    guard try TestRun.run(["/usr/bin/env", "strace", "-c", "-o", "/dev/null", "true"]).exitCode == 0 else {
      print("skipped: strace is missing or may not trace here, so system calls cannot be counted")
      return
    }
    // Under strace one takes milliseconds.
    let iterations = 5_000
    // What the start and the end take is in both the long and the short run, and falls out.
    func steady(_ store: String?) throws -> Traced {
      let long = try traced(iterations: iterations + 1_000, store: store.map { "\($0)-long" }, in: directory)
      let short = try traced(iterations: 1_000, store: store.map { "\($0)-short" }, in: directory)
      return Traced(calls: long.calls.merging(short.calls) { $0 - $1 }, seconds: long.seconds)
    }
    let without = try steady(nil)
    let with = try steady("\(directory.path)/s.stallwatch")
    #expect((with.calls["write"] ?? 0) >= iterations, "the program's own wake-ups are counted: \(with)")
    var added = with.calls.merging(without.calls.mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value > 0 }
    // By time, not by iterations, however long strace takes for them. In a threshold's time of 50 ms the watchdog may be
    // woken once, and it takes CF's lock on the loop once: to be had, and to be handed over, that is a call each. A stall
    // that strace makes is looked at by a signal, once in a threshold's time.
    let thresholds = Int(with.seconds / 0.05) + 1
    for (name, allowed) in [("futex", 3), ("rt_sigreturn", 1), ("process_vm_readv", 1), ("restart_syscall", 1)] {
      #expect(added.removeValue(forKey: name) ?? 0 <= allowed * thresholds, "\(with)")
    }
    // Memory is mapped at the start and the end only, where a run may differ from the next.
    #expect(added.values.reduce(0, +) < iterations / 50, "\(added)")
  }

  @Test("wakes nobody while the program is idle and the drift probe is off")
  func idle() throws {
    let directory = try TestDirectory()
    let idle = try idle("\(directory.path)/i.stallwatch", environment: ["STALLWATCH_DRIFT_INTERVAL": "off"])
    #expect(idle.threads == 3)
    #expect(idle.wakeups == 0)
  }

  @Test("wakes an idle program for the ticks of the drift probe and no more")
  func idleDrift() throws {
    let directory = try TestDirectory()
    let idle = try idle("\(directory.path)/d.stallwatch")
    // A tick a second: the watchdog wakes the loop for it and comes back to see what came of it; then it is written.
    #expect(idle.wakeups > 0)
    #expect(Double(idle.wakeups) <= (idle.seconds + 1) * 8, "\(idle)")
  }

  /// How often the monitor's threads woke while the program was idle.
  private func idle(
    _ store: String, environment: [String: String] = [:]
  ) throws -> (threads: Int, wakeups: Int, seconds: Double) {
    let run = try TestRun.run([program, "idle", "5", store], environment: environment)
    #expect(run.exitCode == 0, "\(run.errorText)")
    let words = run.text.split(whereSeparator: \.isWhitespace)
    try #require(words.count == 6, "\(run.text)")
    return try (#require(Int(words[1])), #require(Int(words[3])), #require(Double(words[5])))
  }

  private func allocations(of command: [String]) throws -> Int {
    let run = try TestRun.run(command)
    #expect(run.exitCode == 0, "\(run.errorText)")
    return try #require(run.text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
  }

  /// System calls of a run's main thread, by name, and how long it took.
  private struct Traced {
    var calls: [String: Int]
    var seconds: Double
  }

  private func traced(iterations: Int, store: String?, in directory: TestDirectory) throws -> Traced {
    let summary = "\(directory.path)/summary"
    let start = ContinuousClock.now
    // Without -f only the main thread is traced.
    let run = try TestRun.run(
      ["/usr/bin/env", "strace", "-c", "-o", summary, program, "iterate", "\(iterations)"] + [store].compactMap { $0 },
      environment: ["STALLWATCH_SAMPLE_EVERY": "60s"])
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(run.exitCode == 0, "\(run.errorText)")
    let lines = try String(contentsOfFile: summary, encoding: .utf8).split(separator: "\n")
    let calls: [String: Int] = lines.reduce(into: [:]) { counts, line in
      let fields = line.split(separator: " ")
      // % time, seconds, µs a call, calls, then perhaps errors, name
      guard fields.count >= 5, Double(fields[0]) != nil, let calls = Int(fields[3]), fields.last != "total" else {
        return
      }
      counts[String(fields.last!), default: 0] += calls
    }
    return Traced(calls: calls, seconds: seconds)
  }
}
