import StallwatchCore
import StallwatchSymbols

/// A dump in words.
package enum DumpWords {
  /// `server (pid 4711): 12 threads, up 3 h 12 min, 143 s of CPU`.
  package static func title(_ report: DumpReport) -> String {
    let dump = report.dump
    let program = dump.command.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
    let known = dump.threads.compactMap(\.cpu)
    var parts = [Figure.count(dump.threads.count, "thread")]
    if let age = dump.age { parts.append("up \(Figure.duration(age))") }
    if !known.isEmpty { parts.append("\(Figure.duration(known.reduce(0) { $0.saturatingAdd($1) })) of CPU") }
    return "\(DisplayText.name(program)) (pid \(dump.pid)): \(parts.joined(separator: ", "))"
  }

  /// `main`, or the thread's name, or `thread 4713`.
  package static func name(_ thread: DumpedThread) -> String {
    thread.isMain ? "main" : thread.name.map { DisplayText.name($0) } ?? "thread \(thread.id)"
  }

  /// The name with the thread's number, once.
  package static func label(_ thread: DumpedThread) -> String {
    thread.isMain || thread.name != nil ? "\(name(thread)) (\(thread.id))" : name(thread)
  }

  /// What a thread does: `blocked in read (pipe)`, `waits for a lock that indexer (4713) holds`.
  package static func doing(_ thread: DumpedThread, in report: DumpReport) -> String {
    if let link = thread.waitsFor { return waiting(link, of: thread, in: report) }
    guard let state = thread.state else { return "state unknown" }
    switch state {
    case .blocked: return thread.blockedOn.map { "blocked in \(CauseWords.blockedOn($0))" } ?? "blocked"
    case .running, .stopped, .ended: return state.rawValue
    case .starved: return "waits for a processor"
    }
  }

  /// Each thread of a circle with what it waits for, one sentence a thread, with the line where it waits.
  package static func deadlock(_ threads: [DumpReport.Thread], in report: DumpReport) -> [String] {
    threads.map { thread in
      let place = ownFrame(thread.frames).map { " in \(self.place($0))" } ?? ""
      return "\(name(thread.read))\(place) \(doing(thread.read, in: report))"
    }
  }

  /// What is said where ``DumpReport/hasUnservedMainQueue``.
  package static let unservedMainQueue =
    "work waits in the main queue, and nobody serves it: the main thread alone may, and it neither runs a run loop nor has "
    + "called dispatchMain()"

  /// Each lane of the process's own recording: `the main queue is held for 1.3 s: Model.rebuild() · futex`.
  package static func lanes(_ recorded: RecordedLanes) -> [String] {
    recorded.lanes.map { lane in
      let name = LaneWords.phrase(lane.record.name, lane.record.kind, isMain: lane.record.isMain)
      guard let held = lane.held else { return "\(name) is not held" }
      return "\(name) is held for \(Figure.duration(held))" + (lane.cause.map { ": \(DisplayText.name($0))" } ?? "")
    }
  }

  private static func waiting(_ link: ThreadLink, of thread: DumpedThread, in report: DumpReport) -> String {
    let name = report.thread(link.thread).map { label($0.read) } ?? "thread \(link.thread)"
    let isOwn = link.thread == thread.id
    switch link.kind {
    case .lock: return isOwn ? "waits for a lock that it holds itself" : "waits for a lock that \(name) holds"
    case .end: return isOwn ? "waits for its own end" : "waits for \(name) to end"
    case .queue:
      let queue = link.object.map { "the queue \(DisplayText.name($0))" } ?? "a queue"
      return isOwn ? "waits for \(queue), which it serves itself" : "waits for \(queue), which \(name) serves"
    }
  }

  /// The innermost frame of the program's own code.
  private static func ownFrame(_ frames: [Frame]) -> Frame? { frames.first { !$0.isSystem && !$0.isThunk } }

  /// `Cache.lookup(_:) (main.swift:25)`; without a line, the function's image.
  package static func place(_ frame: Frame) -> String {
    let place = frame.location?.label ?? (frame.name == nil ? nil : frame.imageName)
    return DisplayText.name(frame.label) + (place.map { " (\(DisplayText.name($0)))" } ?? "")
  }
}
