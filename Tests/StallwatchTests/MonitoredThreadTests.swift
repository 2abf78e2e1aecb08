import Foundation
import TestPrograms
import Testing

/// What the monitor does on the thread it watches, counted from outside.
@Suite("On a watched thread the monitor", .serialized)
struct MonitoredThreadTests {
  private let program = Built.product("steady-loop")
  private let iterations = 100_000

  @Test("allocates nothing in 100,000 iterations")
  func allocations() throws {
    let directory = try TestDirectory()
    let without = try allocations(of: [program, "iterate", "\(iterations)"])
    let with = try allocations(of: [program, "iterate", "\(iterations)", "\(directory.path)/a.stallwatch"])
    #expect(with == without)
  }

  @Test("makes no system call in 100,000 iterations but the waking of a parked watchdog")
  func systemCalls() throws {
    let directory = try TestDirectory()
    guard try TestRun.run(["/usr/bin/env", "strace", "-c", "-o", "/dev/null", "true"]).exitCode == 0 else {
      print("skipped: strace is missing or may not trace here, so system calls cannot be counted")
      return
    }
    // What the start and the end take is in both the long and the short run, and falls out.
    func steady(_ store: String?) throws -> [String: Int] {
      let long = try systemCalls(iterations: iterations + 1_000, store: store.map { "\($0)-long" }, in: directory)
      let short = try systemCalls(iterations: 1_000, store: store.map { "\($0)-short" }, in: directory)
      return long.merging(short) { $0 - $1 }
    }
    let without = try steady(nil)
    let with = try steady("\(directory.path)/s.stallwatch")
    let added = with.merging(without.mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value > 0 }
    // None a turn. A loop that turns all the time never lets the watchdog park; but four times a second the watchdog
    // asks CF for the loop's modes, and CF's lock on the loop may then be waited for. Memory is mapped at the start and
    // the end only, where a run may differ from the next.
    #expect(added.values.reduce(0, +) < iterations / 500, "\(added)")
    #expect((with["write"] ?? 0) >= iterations, "the program's own wake-ups are counted: \(with)")
  }

  @Test("wakes nobody while the program is idle and the drift probe is off")
  func idle() throws {
    let directory = try TestDirectory()
    let run = try TestRun.run(
      [program, "idle", "5", "\(directory.path)/i.stallwatch"], environment: ["STALLWATCH_DRIFT_INTERVAL": "off"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.text.trimmingCharacters(in: .whitespacesAndNewlines) == "threads 3 runs 0")
  }

  @Test("wakes an idle program for the ticks of the drift probe and no more")
  func idleDrift() throws {
    let directory = try TestDirectory()
    let run = try TestRun.run([program, "idle", "5", "\(directory.path)/d.stallwatch"])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let runs = try #require(run.text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
    // A tick a second: the watchdog wakes the loop for it and comes back to see what came of it; then it is written.
    #expect(runs >= 5, "\(run.text)")
    #expect(runs <= 6 * 8, "\(run.text)")
  }

  private func allocations(of command: [String]) throws -> Int {
    let run = try TestRun.run(command)
    #expect(run.exitCode == 0, "\(run.errorText)")
    return try #require(run.text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) })
  }

  /// System calls of the main thread, by name.
  private func systemCalls(iterations: Int, store: String?, in directory: TestDirectory) throws -> [String: Int] {
    let summary = "\(directory.path)/summary"
    // Without -f only the main thread is traced.
    let run = try TestRun.run(
      ["/usr/bin/env", "strace", "-c", "-o", summary, program, "iterate", "\(iterations)"] + [store].compactMap { $0 })
    #expect(run.exitCode == 0, "\(run.errorText)")
    let lines = try String(contentsOfFile: summary, encoding: .utf8).split(separator: "\n")
    return lines.reduce(into: [:]) { counts, line in
      let fields = line.split(separator: " ")
      // % time, seconds, µs a call, calls, then perhaps errors, name
      guard fields.count >= 5, Double(fields[0]) != nil, let calls = Int(fields[3]), fields.last != "total" else {
        return
      }
      counts[String(fields.last!), default: 0] += calls
    }
  }
}
