// Measures for how long a sample holds up the thread that it is taken of.
//
//   pause-bench [SAMPLES]     1000
//
// A blocked thread: its context switches and its waits that ended early. A running one: what the handler takes, and the gaps that
// the thread itself sees while it reads the clock without pause. A sample comes with the kernel's tick, which makes a gap by itself:
// what the sample adds is the gap with one less the median gap without one.

import CStallwatch
import Foundation
import StallwatchProbe
import Synchronization

#if os(Linux)
  private let isDone = Atomic<Bool>(false)
  private let subject = Atomic<UInt64>(0)
  private let early = Atomic<Int>(0)

  /// A time in which the spinning thread did not run its own code.
  private struct Gap {
    var start: UInt64
    var length: UInt64
    /// Whether another thread was given the processor meanwhile.
    var isPreempted: Bool
  }
  /// Shorter ones are the clock's own.
  private let shortestGap: UInt64 = 500
  nonisolated(unsafe) private var gaps: [Gap] = []

  private func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// RUSAGE_THREAD, which Swift does not see.
  private let onlyThisThread: Int32 = 1

  private func preemptions() -> Int {
    var usage = rusage()
    getrusage(onlyThisThread, &usage)
    return usage.ru_nivcsw
  }

  private func start(_ body: @escaping @Sendable () -> Void) -> Thread {
    isDone.store(false, ordering: .relaxed)
    subject.store(0, ordering: .relaxed)
    let thread = Thread {
      subject.store(stallwatch_thread_id(), ordering: .releasing)
      body()
      subject.store(0, ordering: .releasing)
    }
    thread.start()
    while subject.load(ordering: .acquiring) == 0 { usleep(100) }
    return thread
  }

  private func end(_ wake: () -> Void = {}) {
    isDone.store(true, ordering: .relaxed)
    wake()
    while subject.load(ordering: .acquiring) != 0 { usleep(1_000) }
  }

  private func switches(_ threadID: UInt64) -> String {
    let status = (try? String(contentsOfFile: "/proc/self/task/\(threadID)/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }.joined(separator: ", ")
  }

  private func spread(_ nanoseconds: [UInt64]) -> String {
    guard !nanoseconds.isEmpty else { return "none" }
    let sorted = nanoseconds.sorted()
    func microseconds(_ share: Double) -> String {
      let place = min(Int(share * Double(sorted.count)), sorted.count - 1)
      return String(format: "%.1f", Double(sorted[place]) / 1_000)
    }
    return "median \(microseconds(0.5)) µs, p99 \(microseconds(0.99)) µs, max \(microseconds(1)) µs of \(sorted.count)"
  }

  private func blocked(_ sampler: any ThreadSampler, _ samples: Int) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    _ = start { semaphore.wait() }
    let threadID = subject.load(ordering: .acquiring)
    usleep(50_000)
    let before = switches(threadID)
    var costs: [UInt64] = []
    let counted = (0..<samples).count { _ in
      let start = now()
      let captured = sampler.capture(threadID: threadID)
      costs.append(now() - start)
      return captured?.method == .withoutSignal
    }
    let after = switches(threadID)
    end { semaphore.signal() }
    print("blocked: the monitor looks for \(spread(costs))")
    print("blocked: \(counted) samples, context switches of the thread before: \(before); after: \(after)")

    _ = start {
      while !isDone.load(ordering: .relaxed) {
        if usleep(3_000) != 0 { early.add(1, ordering: .relaxed) }
        if poll(nil, 0, 3) != 0 { early.add(1, ordering: .relaxed) }
        var semaphore = sem_t()
        sem_init(&semaphore, 0, 0)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_nsec += 3_000_000
        if time.tv_nsec >= 1_000_000_000 {
          (time.tv_sec, time.tv_nsec) = (time.tv_sec + 1, time.tv_nsec - 1_000_000_000)
        }
        if sem_timedwait(&semaphore, &time) != -1 || errno != ETIMEDOUT { early.add(1, ordering: .relaxed) }
      }
    }
    for _ in 0..<samples {
      _ = sampler.capture(threadID: subject.load(ordering: .acquiring))
      usleep(500)
    }
    end()
    let earlyReturns = early.load(ordering: .relaxed)
    print("blocked: \(earlyReturns) of usleep, poll and sem_timedwait returned early in \(samples) looks")
    return before == after && counted == samples && earlyReturns == 0
  }

  private func running(_ sampler: any ThreadSampler, _ samples: Int) -> Bool {
    gaps.reserveCapacity(1_000_000)
    _ = start {
      var last = now()
      var known = preemptions()
      while !isDone.load(ordering: .relaxed) {
        let moment = now()
        if moment - last >= shortestGap {
          let switched = preemptions()
          if gaps.count < gaps.capacity {
            gaps.append(Gap(start: last, length: moment - last, isPreempted: switched != known))
          }
          known = switched
          last = now()
        } else {
          last = moment
        }
      }
    }
    let threadID = subject.load(ordering: .acquiring)
    var pauses: [UInt64] = []
    var moments: [UInt64] = []
    while moments.count < samples {
      usleep(6_000)
      guard let captured = sampler.capture(threadID: threadID), captured.method == .interrupted else { continue }
      pauses.append(captured.pause)
      moments.append(captured.atNs)
    }
    end()
    // The gap that a sample lies in. Both lists are in the order of time.
    var place = 0
    var sampled: Set<Int> = []
    for moment in moments {
      while place < gaps.count, gaps[place].start + gaps[place].length < moment { place += 1 }
      if place < gaps.count, gaps[place].start <= moment { sampled.insert(place) }
    }
    let own = sampled.map { gaps[$0] }
    let others = gaps.indices.filter { !sampled.contains($0) }.map { gaps[$0] }
    let seen = own.filter { !$0.isPreempted }.map(\.length)
    let ticks = others.filter { !$0.isPreempted }.map(\.length).sorted()
    guard seen.count > samples / 4, !ticks.isEmpty else {
      print("running: too few gaps to judge")
      return false
    }
    let tick = ticks[ticks.count / 2]
    let added = seen.map { $0 > tick ? $0 - tick : 0 }.sorted()
    print("running: in the handler      \(spread(pauses))")
    print("running: gap with a sample   \(spread(seen)), and \(own.count - seen.count) preempted by others")
    print("running: gap without one     \(spread(ticks))")
    print("running: added by a sample   \(spread(added))")
    return added[added.count / 2] <= 10_000 && added[added.count * 99 / 100] <= 50_000
  }

  let samples = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
  guard samples > 0, let sampler = makeThreadSampler(SamplerConfiguration(patience: 50_000_000)) else {
    FileHandle.standardError.write(Data("usage: pause-bench [SAMPLES]\n".utf8))
    exit(2)
  }
  stallwatch_exact_timers()
  let isBlockedLeftAlone = blocked(sampler, samples)
  let isRunningHeldBriefly = running(sampler, samples)
  sampler.stop()
  print("\(isBlockedLeftAlone ? "pass" : "FAIL")  a blocked thread is not held up")
  print(
    "\(isRunningHeldBriefly ? "pass" : "FAIL")  a running thread is held up for 10 µs at the median and 50 µs at p99, at most"
  )
  exit(isBlockedLeftAlone && isRunningHeldBriefly ? 0 : 1)
#endif
