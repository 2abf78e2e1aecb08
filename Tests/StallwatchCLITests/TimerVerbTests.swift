import Foundation
import TestPrograms
import Testing

/// Timers of recorded programs, from the program to the answer.
@Suite(.serialized) struct TimerVerbTests {
  private struct Answer: Decodable {
    struct Timer: Decodable {
      struct Drop: Decodable {
        var mode: String
        var count: UInt64
      }
      struct Lateness: Decodable { var max: UInt64? }
      var intervalNs: UInt64
      var fired: UInt64
      var dropped: UInt64
      var rearmed: UInt64
      var droppedByMode: [Drop]
      var latenessNs: Lateness
    }
    var timers: [Timer]
  }

  private struct Stalls: Decodable {
    struct Item: Decodable {
      enum CodingKeys: String, CodingKey { case duration = "duration_ns" }
      var duration: UInt64
    }
    var items: [Item]
  }

  private let bench: RecordBench

  init() throws { bench = try RecordBench() }

  private func ask(_ verb: String, json: Bool = true) throws -> String {
    let run = try TestRun.run(
      [RecordBench.stallwatch, verb, bench.files.file("store.stallwatch")] + (json ? ["--format", "json"] : []))
    #expect(run.exitCode == 0, "\(run.errorText)")
    return run.text
  }

  private func timers() throws -> [Answer.Timer] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Answer.self, from: Data(ask("timers").utf8)).timers
  }

  @Test
  func `a timer that its loop's mode leaves out is reported with the mode and the remedy, and is no stall`() throws {
    let program = try bench.swift(
      """
      import Foundation
      func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
      nonisolated(unsafe) var refreshed = 0
      nonisolated(unsafe) var last = now()
      nonisolated(unsafe) var longest: UInt64 = 0
      func note() {
        longest = max(longest, now() - last)
        last = now()
      }
      func turn(_ times: Int) {
        let end = refreshed + times
        while refreshed < end { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05)) }
      }
      let refresh = Timer(timeInterval: 0.05, repeats: true) { _ in refreshed += 1 }
      RunLoop.main.add(refresh, forMode: .default)
      turn(3)
      let scrolling = RunLoop.Mode("Scrolling")
      RunLoop.main.add(Timer(timeInterval: 0.005, repeats: true) { _ in note() }, forMode: scrolling)
      let start = now()
      last = start
      let end = Date(timeIntervalSinceNow: 2)
      while Date() < end { _ = RunLoop.main.run(mode: scrolling, before: end) }
      note()
      // How long the mode ran, and the longest time between two of its callouts: the machine's part in it.
      print(last - start, longest)
      turn(3)
      """)
    let run = try bench.record([program])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let measured = run.text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    try #require(measured.count == 2, "\(run.text)")
    let refresh = try #require(try timers().first { $0.intervalNs == 50_000_000 })
    let scrolled = try #require(refresh.droppedByMode.first { $0.mode == "Scrolling" })
    #expect(scrolled.count <= measured[0] / refresh.intervalNs + 1)
    // What came due before the mode's first callout and after its last may be another's.
    #expect(scrolled.count + 1 >= (measured[0] - min(measured[0], 2 * measured[1])) / refresh.intervalNs)
    #expect(refresh.fired >= 6)
    // On a busy machine a span may be long for the machine's sake; none is as long as the mode was.
    let stalls = try JSONDecoder().decode(Stalls.self, from: Data(ask("stalls").utf8))
    #expect(stalls.items.allSatisfy { $0.duration < max(measured[0], 2 * measured[1]) })
    let words = try ask("timers", json: false).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("fires dropped because the loop ran in Scrolling, a mode that this timer is not in"))
    #expect(words.contains("RunLoop.add(_:forMode: .common)"))
  }

  /// Interposes the wall clock: it runs an hour ahead from the second second of the process's life, and is right again from
  /// the third.
  private func steppedClock() throws -> String {
    let source = try bench.files.write(
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <sys/time.h>
      #include <time.h>
      typedef int (*get_time)(clockid_t, struct timespec *);
      int clock_gettime(clockid_t clock, struct timespec *time) {
        static get_time next;
        static long started;
        if (next == NULL) next = (get_time)dlsym(RTLD_NEXT, "clock_gettime");
        int result = next(clock, time);
        if (result != 0 || clock != CLOCK_REALTIME) return result;
        struct timespec now;
        next(CLOCK_MONOTONIC, &now);
        long milliseconds = now.tv_sec * 1000 + now.tv_nsec / 1000000;
        if (started == 0) started = milliseconds;
        if (milliseconds - started > 1000 && milliseconds - started < 2000) time->tv_sec += 3600;
        return 0;
      }
      int gettimeofday(struct timeval *restrict value, void *restrict zone) {
        struct timespec time;
        (void)zone;
        int result = clock_gettime(CLOCK_REALTIME, &time);
        value->tv_sec = time.tv_sec;
        value->tv_usec = time.tv_nsec / 1000;
        return result;
      }
      time_t time(time_t *value) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (value != NULL) *value = now.tv_sec;
        return now.tv_sec;
      }
      """, to: "clock.c")
    let library = bench.files.file("clock.so")
    let built = try TestRun.run(["/usr/bin/env", "clang", "-shared", "-fPIC", "-O1", source, "-o", library])
    try #require(built.exitCode == 0, "\(built.errorText)")
    return library
  }

  @Test func `a step of the wall clock by an hour changes no lateness and drops nothing`() throws {
    let program = try bench.swift(
      """
      import CoreFoundation
      import Foundation
      func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      }
      nonisolated(unsafe) var fired = 0
      nonisolated(unsafe) var first: UInt64 = 0
      nonisolated(unsafe) var ahead = 0
      nonisolated(unsafe) var wall = 0.0
      nonisolated(unsafe) var started: UInt64 = 0
      func make() -> CFRunLoopTimer {
        CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.02, 0.02, 0, 0) { timer in
          fired += 1
          let begun = now()
          let gone = Double(begun - started) / 1e9
          if CFAbsoluteTimeGetCurrent() - wall - gone > 3_000 { ahead += 1 }
          let phase = (begun - first) % 20_000_000
          guard gone > 3, phase > 500_000, phase < 15_000_000 else { if gone > 3 { usleep(600) }; return }
          CFRunLoopTimerInvalidate(timer)
          print(fired, (begun - first) / 20_000_000 + 1, (now() - first) / 20_000_000 + 1, ahead > 0)
          CFRunLoopStop(CFRunLoopGetMain())
        }
      }
      // The first run waits for the monitor to come in: what is due meanwhile would be neither fired nor dropped.
      let opening = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in CFRunLoopStop(CFRunLoopGetMain()) }
      CFRunLoopAddTimer(CFRunLoopGetMain(), opening, kCFRunLoopDefaultMode)
      CFRunLoopRun()
      // One whose due times the program knows: it kept its processor while it made it.
      var timer: CFRunLoopTimer
      repeat {
        started = now()
        wall = CFAbsoluteTimeGetCurrent()
        timer = make()
      } while now() - started > 200_000
      first = started + 20_000_000
      CFRunLoopAddTimer(CFRunLoopGetMain(), timer, kCFRunLoopDefaultMode)
      CFRunLoopRun()
      """)
    let run = try bench.record([program], environment: ["LD_PRELOAD": steppedClock()])
    #expect(run.exitCode == 0, "\(run.errorText)")
    let words = run.text.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 4, "\(run.text)")
    #expect(words[3] == "true", "the program saw the wall clock ahead")
    let timer = try #require(try timers().first { $0.intervalNs == 20_000_000 })
    #expect(String(timer.fired) == words[0])
    let due = try #require(UInt64(words[1]))...#require(UInt64(words[2]))
    #expect(due.contains(timer.fired + timer.dropped), "\(timer) of \(due)")
    #expect(timer.rearmed == 0)
    #expect(try #require(timer.latenessNs.max) < 1_800_000_000_000, "by no hour")
  }

  @Test func `the drift probe makes no run return early, and keeps no loop alive`() throws {
    let program = try bench.swift(
      """
      import CoreFoundation
      import Foundation
      let worker = Thread {
        // Nothing but a one-shot: the loop ends with it.
        var context = CFRunLoopTimerContext()
        let timer = CFRunLoopTimerCreate(nil, CFAbsoluteTimeGetCurrent() + 0.5, 0, 0, 0, { _, _ in }, &context)
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode)
        CFRunLoopRun()
        print("ended")
        let empty = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false)
        print("empty", empty.rawValue)
      }
      worker.start()
      nonisolated(unsafe) var context = CFRunLoopSourceContext()
      context.perform = { _ in }
      let source = CFRunLoopSourceCreate(nil, 0, &context)
      CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode)
      var returned = 0
      for _ in 0..<5 {
        CFRunLoopSourceSignal(source)
        if RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 60)) { returned += 1 }
        _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.2, true)
        returned += 1
      }
      while !worker.isFinished { usleep(10_000) }
      print("returned", returned)
      """)
    let alone = try TestRun.run([program])
    #expect(alone.exitCode == 0)
    #expect(Set(alone.lines) == ["ended", "empty 1", "returned 10"])
    for interval in ["off", "20ms"] {
      let run = try TestRun.run(
        [RecordBench.stallwatch] + bench.options + ["--drift-interval", interval, "--", program],
        environment: bench.environment, directory: bench.files.path)
      #expect(run.exitCode == 0, "\(run.errorText)")
      #expect(run.text == alone.text, "with the drift interval \(interval)")
    }
  }
}
