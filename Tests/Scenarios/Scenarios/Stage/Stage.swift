import CoreFoundation
import Foundation
import Synchronization

/// Where a scenario plays: it plants the holds, and keeps what is to be printed. Any thread may call it.
final class Stage: Sendable {
  private struct Record {
    var threads: [String: UInt64] = [:]
    var holds: [String: (startedNs: UInt64, durationNs: UInt64)] = [:]
    var failures: [String] = []
  }

  private let expectation: Expectation
  private let record = Mutex(Record())
  private let metronome = Metronome()
  /// Called with the name of each loop but the main one, on its own thread and before anything else is done there.
  let loopBegins: @Sendable (String) -> Void

  init(_ expectation: Expectation, loopBegins: @escaping @Sendable (String) -> Void) {
    self.expectation = expectation
    self.loopBegins = loopBegins
    enter(loop: "main")
    metronome.start()
  }

  /// Says that the calling thread's loop is the one of that name.
  func enter(loop: String) {
    let threadID = currentThreadID()
    record.withLock { $0.threads[loop] = threadID }
  }

  /// Sleeps on a loop's thread for so short a time that it is healthy. The machine may make it longer; then that is noted.
  func doze(milliseconds: UInt64) {
    let startedNs = monotonicNow()
    pause(milliseconds: milliseconds)
    metronome.note(thread: currentThreadID(), from: startedNs, expectedMilliseconds: milliseconds)
  }

  /// Holds up the calling thread's loop, and notes it under the name of an expected stall.
  func hold(_ name: String, milliseconds: UInt64) {
    let mode = currentModeName()
    let threadID = currentThreadID()
    let startedNs = monotonicNow()
    pause(milliseconds: milliseconds)
    let durationNs = monotonicNow() - startedNs
    record.withLock { record in
      if record.holds.updateValue((startedNs, durationNs), forKey: name) != nil {
        record.failures.append("\(name) held twice")
      }
      guard let stall = expectation.stalls.first(where: { $0.hold == name }) else {
        record.failures.append("nobody expects the hold \(name)")
        return
      }
      if stall.mode != mode { record.failures.append("\(name) held \(mode), not \(stall.mode)") }
      if record.threads[stall.loop] != threadID {
        record.failures.append("\(name) held another loop than \(stall.loop)")
      }
    }
  }

  /// Notes a failure unless the program did what it was meant to do.
  func check(_ condition: Bool, _ failure: @autoclosure () -> String) {
    guard !condition else { return }
    let failure = failure()
    record.withLock { $0.failures.append(failure) }
  }

  /// Prints everything. True when nothing went wrong.
  func finish(scenario: String) -> Bool {
    let (threads, holds, failures) = record.withLock { ($0.threads, $0.holds, $0.failures) }
    var lines: [ScenarioLine] = []
    for (loop, threadID) in threads where expectation.modes.contains(where: { $0.loop == loop }) {
      var line = ScenarioLine(.expectLoop)
      line.loop = loop
      line.threadID = threadID
      lines.append(line)
    }
    for mode in expectation.modes {
      var line = ScenarioLine(.expectMode)
      line.loop = mode.loop
      line.threadID = threads[mode.loop]
      line.mode = mode.mode
      line.entriesAtLeast = mode.entries.lowerBound
      line.entriesAtMost = mode.entries.upperBound
      line.entriesInThreshold = mode.entriesInThreshold
      line.starvedAtLeastNs = UInt64(mode.starvedMilliseconds) * 1_000_000
      lines.append(line)
    }
    for stall in expectation.stalls {
      var line = ScenarioLine(.expectStall)
      line.hold = stall.hold
      line.loop = stall.loop
      line.threadID = threads[stall.loop]
      line.mode = stall.mode
      line.depth = stall.depth
      line.phase = stall.phase
      line.needsHooks = stall.needsHooks ? true : nil
      line.startedNs = holds[stall.hold]?.startedNs
      line.durationNs = holds[stall.hold]?.durationNs
      lines.append(line)
    }
    var end = ScenarioLine(.end)
    end.scenario = scenario
    end.failures = failures + expectation.stalls.filter { holds[$0.hold] == nil }.map { "\($0.hold) never held" }
    printLines(lines + metronome.finish() + [end])
    return end.failures?.isEmpty == true
  }

  private func printLines(_ lines: [ScenarioLine]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = lines.compactMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}
