// Looks at threads that make it hard, as often as its arguments say, and judges whether all of them and the sampler
// survive.
//
//   capture-soak SAMPLES
//
// At least one sample in ten interrupts a running thread. Exits with 0 when no wait ended early, every thread still made
// rounds at the end, and running and blocked threads were both sampled; 1 otherwise.

import CaptureSoakWork
import Foundation
import StallwatchProbe

#if os(Linux)
  /// A thread that is looked at, and what was seen of it.
  private struct Subject {
    var name: String
    var worker: OpaquePointer
    /// Whether it spends its time waiting, so that it would be sampled far more often than the others.
    var waits: Bool
    var samples = 0
    var whole = 0
    var rounds: UInt64 = 0
  }

  guard CommandLine.arguments.count == 2, let wanted = Int(CommandLine.arguments[1]), wanted > 0,
    let sampler = makeThreadSampler(SamplerConfiguration(patience: 0))
  else {
    FileHandle.standardError.write(Data("usage: capture-soak SAMPLES\n".utf8))
    exit(2)
  }

  private let kinds: [(soak_kind, String, waits: Bool)] = [
    (soak_allocate, "malloc", false), (soak_load, "dlopen", false), (soak_throw, "throw", false),
    (soak_start, "starting", false), (soak_switch, "swapcontext", false), (soak_sleep, "usleep", true),
    (soak_poll, "poll", true),
    (soak_epoll, "epoll_wait", true), (soak_semaphore, "sem_timedwait", true),
  ]
  private var subjects = kinds.map { Subject(name: $1, worker: soak_begin($0), waits: $2) }
  private let started = DispatchTime.now()
  private var taken = 0

  while taken < wanted {
    let mayLookAtWaiting = sampler.health.withoutSignal < 9 * sampler.health.interrupted + 1_000
    if taken >= wanted / 2, subjects[0].rounds == 0 {
      for index in subjects.indices { subjects[index].rounds = soak_rounds(subjects[index].worker) }
    }
    for index in subjects.indices where mayLookAtWaiting || !subjects[index].waits {
      let threadID = soak_thread_id(subjects[index].worker)
      guard threadID != 0, let captured = sampler.capture(threadID: threadID), captured.method != .notAtAll else {
        continue
      }
      subjects[index].samples += 1
      if captured.isComplete { subjects[index].whole += 1 }
      taken += 1
    }
    if !mayLookAtWaiting { usleep(300) }
  }

  private let seconds = Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1e9
  // A moment for those that were held up by the machine alone.
  usleep(200_000)
  private let lost = subjects.filter { soak_rounds($0.worker) <= $0.rounds }.map(\.name)
  private let early = subjects.reduce(0) { $0 + soak_early_returns($1.worker) }
  for subject in subjects { soak_end(subject.worker) }
  sampler.stop()

  private let health = sampler.health
  print("samples          \(taken) in \(String(format: "%.1f", seconds)) s, \(Int(Double(taken) / seconds)) a second")
  print("without a signal \(health.withoutSignal)")
  print("interrupted      \(health.interrupted)")
  print("not answered yet \(health.unanswered)")
  print("refused          \(health.refused) (\(health.signalObstacle?.rawValue ?? "nothing stands in the way"))")
  print("ended meanwhile  \(health.gone)")
  print("hidden           \(health.hidden)")
  for subject in subjects {
    let share = subject.samples > 0 ? 100 * Double(subject.whole) / Double(subject.samples) : 0
    print("whole stacks     \(String(format: "%6.2f", share)) % of \(subject.samples) in \(subject.name)")
  }
  print("early returns    \(early)")
  print("lost threads     \(lost.isEmpty ? "none" : lost.joined(separator: ", "))")
  private let passed = lost.isEmpty && early == 0 && health.withoutSignal > 0 && health.interrupted > 0
  print(passed ? "pass" : "FAIL")
  exit(passed ? 0 : 1)
#endif
